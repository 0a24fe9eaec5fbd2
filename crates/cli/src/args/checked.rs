//! What was meant.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;
use clap_complete::Shell;
use filch_experiments::chapters::Scale;
use filch_random::Seed;

use super::dag::{self, DagCommand};
use super::dispatch::{self, Dispatch};
use super::natural::{self, Natural};
use super::proxy::{self, Proxy};
use super::raw::{RawArgs, RawCommand, RawReproduce};
use super::theory::{self, Theory};
use crate::failure::Failure;

/// What to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    /// Print the help or the version.
    Show(String),
    Policies(Policies),
    Reproduce(Reproduce),
    Dag(DagCommand),
    Natural(Natural),
    Theory(Theory),
    Dispatch(Dispatch),
    Proxy(Proxy),
    Completions(Shell),
    Man(Option<String>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Policies {
    /// The name to explain; all are listed if there is none.
    pub(crate) name: Option<String>,
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Reproduce {
    pub(crate) scale: Scale,
    pub(crate) out: PathBuf,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// Reads the arguments of the program, its own name first.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, Failure> {
    match RawArgs::try_parse_from(args) {
        Ok(raw) => check(raw.command),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Command::Show(error.to_string()))
            }
            _ => Err(Failure::Usage(one_line(&error))),
        },
    }
}

fn check(raw: RawCommand) -> Result<Command, Failure> {
    Ok(match raw {
        RawCommand::Reproduce(raw) => Command::Reproduce(reproduce(raw)?),
        RawCommand::Dag(raw) => Command::Dag(dag::check(raw)?),
        RawCommand::Natural(raw) => Command::Natural(natural::check(raw)?),
        RawCommand::Theory(raw) => Command::Theory(theory::check(raw)?),
        RawCommand::Dispatch(raw) => Command::Dispatch(dispatch::check(raw)?),
        RawCommand::Proxy(raw) => Command::Proxy(proxy::check(raw)?),
        RawCommand::Policies(raw) => Command::Policies(Policies {
            name: raw.name,
            json: raw.json,
        }),
        RawCommand::Completions { shell } => Command::Completions(shell),
        RawCommand::Man { command } => Command::Man(command),
    })
}

fn reproduce(raw: RawReproduce) -> Result<Reproduce, Failure> {
    if raw.out.is_empty() {
        return Err(Failure::usage(
            "--out is empty: name a folder, such as --out filch-report",
        ));
    }
    Ok(Reproduce {
        scale: match (raw.sketch, raw.full) {
            (true, _) => Scale::Sketch,
            (_, true) => Scale::Full,
            _ => Scale::Quick,
        },
        out: raw.out.into(),
        seed: seed(&raw.simulation.seed)?,
        json: raw.simulation.json,
    })
}

pub(super) fn seed(text: &str) -> Result<Seed, Failure> {
    text.parse().map_err(|_| {
        Failure::usage(format!(
            "--seed '{}' is not a whole number from 0 to {}: use one such as --seed 1",
            text.escape_debug(),
            u64::MAX
        ))
    })
}

/// clap explains itself in paragraphs. The first says what is wrong, a tip may say what was meant;
/// the rest is in `--help`.
fn one_line(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command: start with 'filch reproduce', or see 'filch --help'".to_owned();
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let what = text.split("\n\n").next().unwrap_or(text);
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let tip = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("tip: "));
    match tip {
        Some(tip) => format!("{what}: {tip}"),
        None => format!("{what}: see 'filch --help'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, Failure> {
        parse(line.split(' ').map(OsString::from))
    }

    fn refused(line: &str) -> String {
        match read(line) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn defaults() {
        let expected = Reproduce {
            scale: Scale::Quick,
            out: "filch-report".into(),
            seed: Seed::default(),
            json: false,
        };
        assert_eq!(
            read("filch reproduce").unwrap(),
            Command::Reproduce(expected)
        );
    }

    #[test]
    fn everything_said() {
        let expected = Reproduce {
            scale: Scale::Full,
            out: "x".into(),
            seed: Seed::new(7),
            json: true,
        };
        let line = "filch reproduce --full --out x --seed 7 --json";
        assert_eq!(read(line).unwrap(), Command::Reproduce(expected));
    }

    #[test]
    fn bad_arguments_get_one_line() {
        for (line, message) in [
            (
                "filch",
                "no command: start with 'filch reproduce', or see 'filch --help'",
            ),
            (
                "filch reproduce --seed -1",
                "--seed '-1' is not a whole number from 0 to 18446744073709551615: use one such as --seed 1",
            ),
            (
                "filch reproduce --seed=1.5",
                "--seed '1.5' is not a whole number from 0 to 18446744073709551615: use one such as --seed 1",
            ),
            (
                "filch reproduce --out=",
                "--out is empty: name a folder, such as --out filch-report",
            ),
            (
                "filch reproduce --quick --full",
                "the argument '--quick' cannot be used with '--full': see 'filch --help'",
            ),
            (
                "filch reproduce --ful",
                "unexpected argument '--ful' found: a similar argument exists: '--full'",
            ),
            (
                "filch reproduse",
                "unrecognized subcommand 'reproduse': a similar subcommand exists: 'reproduce'",
            ),
            (
                "filch completions csh",
                "invalid value 'csh' for '<SHELL>' [possible values: bash, elvish, fish, powershell, zsh]: a similar value exists: 'zsh'",
            ),
        ] {
            assert_eq!(refused(line), message);
        }
    }

    #[test]
    fn help_is_no_failure() {
        assert!(
            matches!(read("filch --help"), Ok(Command::Show(text)) if text.contains("reproduce"))
        );
    }

    #[test]
    fn definition_is_sound() {
        use clap::CommandFactory;
        RawArgs::command().debug_assert();
    }
}
