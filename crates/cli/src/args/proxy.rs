//! `filch proxy`: what can be typed, and what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use filch_policy::dispatch::Spec;
use filch_random::Seed;

use super::checked::seed;
use super::raw::RawSimulation;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RawProxy {
    #[command(subcommand)]
    command: Option<RawProxyCommand>,
    /// Run a reverse proxy as this file (TOML) says
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    config: Option<OsString>,
    /// Only say whether this file is a configuration that could be run
    #[arg(long, value_name = "FILE")]
    check: Option<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RawProxyCommand {
    /// See what policies are worth: ten toy servers of two speeds, a load, and the latencies live
    Demo(RawDemo),
}

#[derive(Debug, Args)]
pub(crate) struct RawDemo {
    /// The load, as a part of what all servers can do
    #[arg(
        long,
        value_name = "L",
        allow_hyphen_values = true,
        default_value = "0.8"
    )]
    load: String,
    /// How long the load lasts
    #[arg(
        long,
        value_name = "S",
        allow_hyphen_values = true,
        default_value = "20"
    )]
    seconds: String,
    /// Policies ('filch policies' lists them); each has ten servers of its own
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "round-robin,jsq:2,jsq,pi,idle-fastest(sed)"
    )]
    policy: String,
    /// Dispatchers in front of the same servers, none of which sees what the others send
    #[arg(
        long,
        value_name = "D",
        allow_hyphen_values = true,
        default_value = "1"
    )]
    dispatchers: String,
    #[command(flatten)]
    simulation: RawSimulation,
}

/// What to do with a proxy.
#[derive(Debug, PartialEq)]
pub(crate) enum Proxy {
    Demo(Demo),
    /// Run it with this configuration.
    Run(PathBuf),
    /// Check this configuration.
    Check(PathBuf),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Demo {
    pub(crate) load: f64,
    pub(crate) length: Duration,
    pub(crate) policies: Vec<Spec>,
    pub(crate) dispatchers: usize,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// More policies than this would wait for the processor and not for their servers.
const MOST_POLICIES: usize = 8;

pub(super) fn check(raw: RawProxy) -> Result<Proxy, Failure> {
    let file = |name: &str, path: OsString| {
        if path.is_empty() {
            Err(Failure::usage(format!(
                "{name} is empty: name a file, such as {name} proxy.toml"
            )))
        } else {
            Ok(PathBuf::from(path))
        }
    };
    match (raw.command, raw.config, raw.check) {
        (Some(RawProxyCommand::Demo(raw)), ..) => Ok(Proxy::Demo(demo(raw)?)),
        (None, Some(path), _) => Ok(Proxy::Run(file("--config", path)?)),
        (None, None, Some(path)) => Ok(Proxy::Check(file("--check", path)?)),
        (None, None, None) => Err(Failure::usage(
            "proxy: nothing to do: start with 'filch proxy demo', or name a file with --config FILE",
        )),
    }
}

fn demo(raw: RawDemo) -> Result<Demo, Failure> {
    let load = match raw.load.parse() {
        Ok(load) if 0.0 < load && load < 1.0 => load,
        _ => {
            return Err(Failure::usage(format!(
                "--load '{}' is not a number between 0 and 1: use one such as --load 0.8",
                raw.load.escape_debug()
            )));
        }
    };
    let whole = |name: &str, text: &str, most: u32, example: &str| {
        let number = text
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| {
            Failure::usage(format!(
                "{name} '{}' is not a whole number from 1 to {most}: use one such as {name} {example}",
                text.escape_debug()
            ))
        })
    };
    let policies = raw.policy.split(',').map(|name| {
        let policy = name.trim().parse();
        policy.map_err(|error| Failure::usage(format!("--policy: {error}")))
    });
    let policies = policies.collect::<Result<Vec<Spec>, _>>()?;
    if let Some(twice) = (1..policies.len()).find(|&at| policies[..at].contains(&policies[at])) {
        return Err(Failure::usage(format!(
            "--policy names {} twice: name each policy once",
            policies[twice]
        )));
    }
    if policies.len() > MOST_POLICIES {
        return Err(Failure::usage(format!(
            "--policy names {} policies: use at most {MOST_POLICIES} at once",
            policies.len()
        )));
    }
    Ok(Demo {
        load,
        length: Duration::from_secs(whole("--seconds", &raw.seconds, 3600, "20")?.into()),
        policies,
        dispatchers: whole("--dispatchers", &raw.dispatchers, 16, "8")? as usize,
        seed: seed(&raw.simulation.seed)?,
        json: raw.simulation.json,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Command, parse};
    use super::*;

    fn read(line: &str) -> Result<Command, Failure> {
        parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn defaults_and_everything_said() {
        let Ok(Command::Proxy(Proxy::Demo(demo))) = read("filch proxy demo") else {
            panic!("the demo needs no arguments");
        };
        assert_eq!((demo.load, demo.dispatchers), (0.8, 1));
        assert_eq!(demo.policies.len(), 5);
        let line = "filch proxy demo --load 0.5 --seconds 3 --policy pi,idle-fastest(sed) --dispatchers 8 --seed 7 --json";
        let expected = Demo {
            load: 0.5,
            length: Duration::from_secs(3),
            policies: vec!["pi".parse().unwrap(), "idle-fastest(sed)".parse().unwrap()],
            dispatchers: 8,
            seed: Seed::new(7),
            json: true,
        };
        assert_eq!(read(line).unwrap(), Command::Proxy(Proxy::Demo(expected)));
        for (line, proxy) in [
            ("filch proxy --config a.toml", Proxy::Run("a.toml".into())),
            ("filch proxy --check a.toml", Proxy::Check("a.toml".into())),
        ] {
            assert_eq!(read(line).unwrap(), Command::Proxy(proxy));
        }
    }

    #[test]
    fn bad_arguments_get_one_line() {
        for (more, message) in [
            (
                "proxy",
                "proxy: nothing to do: start with 'filch proxy demo', or name a file with --config FILE",
            ),
            (
                "proxy --config=",
                "--config is empty: name a file, such as --config proxy.toml",
            ),
            (
                "proxy demo --load 1",
                "--load '1' is not a number between 0 and 1: use one such as --load 0.8",
            ),
            (
                "proxy demo --seconds 0",
                "--seconds '0' is not a whole number from 1 to 3600: use one such as --seconds 20",
            ),
            (
                "proxy demo --dispatchers 17",
                "--dispatchers '17' is not a whole number from 1 to 16: use one such as --dispatchers 8",
            ),
            (
                "proxy demo --policy pi,pi",
                "--policy names pi twice: name each policy once",
            ),
            (
                "proxy demo --policy jsq:0",
                "--policy: 'jsq:0' is not of the form jsq:D: D is '0', use a whole number from 1",
            ),
        ] {
            match read(&format!("filch {more}")) {
                Err(Failure::Usage(given)) => assert_eq!(given, message),
                other => panic!("{more}: {other:?}"),
            }
        }
    }
}
