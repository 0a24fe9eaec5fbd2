//! What was typed: the command, what is understood of cargo's options, and the rest as it stands.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::core_tree::Variant;
use crate::failure::Failure;
use crate::profile::Wanted;

/// A command of `cargo filch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Run,
    Test,
    Bench,
    Build,
    Check,
    Fetch,
    Profile,
}

impl Command {
    /// Our commands, with the letters that cargo accepts for its own.
    const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Run, "run", "r"),
        (Self::Test, "test", "t"),
        (Self::Bench, "bench", "bench"),
        (Self::Build, "build", "b"),
        (Self::Check, "check", "c"),
        (Self::Fetch, "fetch", "fetch"),
        (Self::Profile, "profile", "profile"),
    ];

    fn of(word: &OsStr) -> Option<Self> {
        let same = |(_, name, short): &&(Self, &str, &str)| word == *name || word == *short;
        Self::ALL.iter().find(same).map(|(command, ..)| *command)
    }

    /// Cargo's command that is called for it.
    pub(crate) fn of_cargo(self) -> &'static str {
        if self == Self::Profile {
            return Self::Run.of_cargo();
        }
        let (_, name, _) = Self::ALL
            .iter()
            .find(|(command, ..)| *command == self)
            .expect("listed");
        name
    }
}

/// What the user asked for.
#[derive(Debug)]
pub(crate) enum Asked {
    Help,
    Version,
    Do(Box<Request>),
}

/// A command with its arguments.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) command: Command,
    /// What cargo gets: everything but `--target-dir`, which is ours to choose.
    pub(crate) arguments: Vec<OsString>,
    /// What else is known of them.
    pub(crate) known: Known,
    /// What `profile` makes of the recording.
    pub(crate) wanted: Wanted,
}

impl Request {
    /// The core that it needs.
    pub(crate) fn variant(&self) -> Variant {
        if self.command == Command::Profile {
            Variant::Profile
        } else {
            Variant::Plain
        }
    }
}

/// The options of cargo that `cargo filch` acts upon.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) manifest_path: Option<PathBuf>,
    pub(crate) target_dir: Option<PathBuf>,
    /// The packages of `--package`.
    pub(crate) packages: Vec<String>,
    pub(crate) whole_workspace: bool,
    pub(crate) locked: bool,
    pub(crate) offline: bool,
    /// The build profile, if one was asked for.
    pub(crate) profile: Option<String>,
    /// The program that `--bin` or `--example` names.
    pub(crate) program: Option<String>,
    /// `--config`, `-Z` and their values: for every call of cargo.
    pub(crate) passed_on: Vec<OsString>,
}

/// Cargo's options whose value may be the next word.
const WITH_VALUE: [&str; 22] = [
    "-p",
    "--package",
    "--exclude",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "-F",
    "--features",
    "-j",
    "--jobs",
    "--profile",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--message-format",
    "--color",
    "--config",
    "-Z",
    "--artifact-dir",
    "--out-dir",
    "--lockfile-path",
];

/// Understands the words behind `cargo filch`. Options may stand before the command, as with cargo.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Asked, Failure> {
    let is_plain = |word: &OsString| !word.to_string_lossy().starts_with('-');
    let mut options = Vec::new();
    let mut words = words.into_iter();
    let first = loop {
        match words.next() {
            Some(word) if is_plain(&word) => break word,
            Some(word) => {
                if word == "--help" || word == "-h" {
                    return Ok(Asked::Help);
                }
                if word == "--version" || word == "-V" {
                    return Ok(Asked::Version);
                }
                let takes_next = takes_next(&word.to_string_lossy());
                options.push(word);
                options.extend(takes_next.then(|| words.next()).flatten());
            }
            None if options.is_empty() => return Ok(Asked::Help),
            None => return Err(Failure::usage(format!("no command: {COMMANDS}"))),
        }
    };
    if first == "help" {
        return Ok(Asked::Help);
    }
    let Some(command) = Command::of(&first) else {
        return Err(Failure::usage(format!(
            "no command '{}': {COMMANDS}",
            first.display().to_string().escape_debug()
        )));
    };
    options.extend(words);
    let own = options.iter().take_while(|word| *word != "--");
    if own.clone().any(|word| word == "--help" || word == "-h") {
        return Ok(Asked::Help);
    }
    scan(command, options).map(|request| Asked::Do(Box::new(request)))
}

const COMMANDS: &str = "use run, test, bench, build, check, fetch or profile";

/// Whether the value of an option is the next word.
fn takes_next(option: &str) -> bool {
    let (name, attached) = split(option);
    attached.is_none() && (WITH_VALUE.contains(&name) || Wanted::OPTIONS.contains(&name))
}

/// Goes over the words as cargo does, and takes out what is ours.
fn scan(command: Command, words: Vec<OsString>) -> Result<Request, Failure> {
    let takes_arguments = matches!(command, Command::Run | Command::Profile);
    let mut known = Known::default();
    let mut wanted = Wanted::default();
    let mut arguments = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        // What follows is the program's: after `--`, and after the first plain word of `run`.
        if text == "--" || (takes_arguments && !text.starts_with('-')) {
            arguments.push(word);
            arguments.extend(words);
            break;
        }
        let (name, attached) = split(&text);
        let is_ours = command == Command::Profile && Wanted::OPTIONS.contains(&name);
        let value = match attached {
            Some(value) => Some(OsString::from(value)),
            None if is_ours || WITH_VALUE.contains(&name) => words.next(),
            None => None,
        };
        if is_ours {
            wanted.note(name, value)?;
            continue;
        }
        if name != "--target-dir" {
            arguments.push(word.clone());
            if attached.is_none() {
                arguments.extend(value.clone());
            }
        }
        known.note(name, value);
    }
    Ok(Request {
        command,
        arguments,
        known,
        wanted,
    })
}

impl Known {
    fn note(&mut self, name: &str, value: Option<OsString>) {
        match (name, value) {
            ("--manifest-path", Some(path)) => self.manifest_path = Some(path.into()),
            ("--target-dir", Some(path)) => self.target_dir = Some(path.into()),
            ("-p" | "--package", Some(name)) => {
                self.packages.push(name.to_string_lossy().into_owned());
            }
            ("--workspace" | "--all", _) => self.whole_workspace = true,
            ("--locked", _) => self.locked = true,
            ("--offline", _) => self.offline = true,
            ("--release" | "-r", _) => self.profile = Some("release".into()),
            ("--profile", Some(name)) => {
                self.profile = Some(name.to_string_lossy().into_owned());
            }
            ("--bin" | "--example", Some(name)) => {
                self.program = Some(name.to_string_lossy().into_owned());
            }
            ("--frozen", _) => (self.locked, self.offline) = (true, true),
            ("--config" | "-Z", Some(value)) => self.passed_on.extend([name.into(), value]),
            _ => {}
        }
    }
}

/// The name of an option and the value that is attached to it: `--name=value`, `-pvalue`.
fn split(word: &str) -> (&str, Option<&str>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
    }
    for short in ["-p", "-F", "-j", "-Z"] {
        if let Some(value) = word.strip_prefix(short)
            && !value.is_empty()
        {
            return (short, Some(value.strip_prefix('=').unwrap_or(value)));
        }
    }
    (word, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Box<Request> {
        match parse(words.iter().map(OsString::from).collect()) {
            Ok(Asked::Do(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_are_understood_and_passed_on() {
        let asked = request(&[
            "test",
            "-p",
            "a",
            "--package=b",
            "-pc",
            "name",
            "--offline",
            "--target-dir",
            "x",
            "--config",
            "k=1",
            "-Zfoo",
            "--",
            "--locked",
        ]);
        assert_eq!(asked.command, Command::Test);
        assert_eq!(asked.known.packages, ["a", "b", "c"]);
        assert_eq!(asked.known.target_dir, Some("x".into()));
        assert!(asked.known.offline && !asked.known.locked);
        assert_eq!(asked.known.passed_on, ["--config", "k=1", "-Z", "foo"]);
        let rest = [
            "-p",
            "a",
            "--package=b",
            "-pc",
            "name",
            "--offline",
            "--config",
            "k=1",
            "-Zfoo",
            "--",
            "--locked",
        ];
        assert_eq!(asked.arguments, rest);
    }

    #[test]
    fn what_follows_the_first_plain_word_of_run_is_the_programs() {
        let asked = request(&[
            "r",
            "--bin",
            "--x",
            "file",
            "--target-dir",
            "y",
            "--offline",
        ]);
        assert_eq!(asked.command, Command::Run);
        let known = Known {
            program: Some("--x".into()),
            ..Known::default()
        };
        assert_eq!(asked.known, known);
        assert_eq!(
            asked.arguments,
            ["--bin", "--x", "file", "--target-dir", "y", "--offline"]
        );
    }

    #[test]
    fn options_may_stand_before_the_command() {
        let asked = request(&["--offline", "-p", "run", "--out=x", "profile", "file"]);
        assert_eq!(asked.command, Command::Profile);
        assert!(asked.known.offline);
        assert_eq!(asked.known.packages, ["run"]);
        assert_eq!(asked.wanted.out, Some("x".into()));
        assert_eq!(asked.arguments, ["--offline", "-p", "run", "file"]);
        let lacking = parse(vec!["--offline".into()]);
        assert!(matches!(lacking, Err(Failure::Usage(said)) if said.starts_with("no command: ")));
    }

    #[test]
    fn help_is_for_us_unless_it_is_the_programs() {
        let parsed = |words: &[&str]| parse(words.iter().map(OsString::from).collect());
        assert!(matches!(parsed(&[]), Ok(Asked::Help)));
        assert!(matches!(parsed(&["run", "--help"]), Ok(Asked::Help)));
        assert!(matches!(parsed(&["run", "--", "--help"]), Ok(Asked::Do(_))));
        assert!(matches!(parsed(&["-V"]), Ok(Asked::Version)));
        assert!(matches!(parsed(&["--offline", "-h"]), Ok(Asked::Help)));
        assert!(matches!(parsed(&["install"]), Err(Failure::Usage(_))));
    }
}
