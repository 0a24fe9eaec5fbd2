//! What clap has to say, on one line.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The error as one line that says what to type instead. clap explains itself in paragraphs: the
/// first says what is wrong, a tip may say what was meant, and the rest is in `--help`.
pub(super) fn one_line(error: &Error, filch: &Command, typed: &[OsString]) -> String {
    let path = path(filch, typed);
    let see = format!("see '{} --help'", path.join(" "));
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            no_command(filch, &path, &see)
        }
        ErrorKind::ValueValidation => bad_value(error, typed).unwrap_or(see),
        ErrorKind::MissingRequiredArgument => {
            missing(error).map_or_else(|| described(error, &see), |what| format!("{what}: {see}"))
        }
        ErrorKind::ArgumentConflict if error.get(ContextKind::PriorArg).is_some() => {
            described(error, "leave one of them out")
        }
        ErrorKind::InvalidValue => not_listed(error).unwrap_or_else(|| described(error, &see)),
        _ => described(error, &see),
    }
}

/// The commands that were typed before anything else, `filch` first.
fn path(filch: &Command, typed: &[OsString]) -> Vec<String> {
    let (mut command, mut path) = (filch, vec![filch.get_name().to_owned()]);
    for word in typed.iter().skip(1) {
        let known = word.to_str().and_then(|word| command.find_subcommand(word));
        let Some(known) = known else {
            break;
        };
        path.push(known.get_name().to_owned());
        command = known;
    }
    path
}

/// A command that does nothing without one of its own commands.
fn no_command(filch: &Command, path: &[String], see: &str) -> String {
    if path.len() == 1 {
        return format!("no command: start with 'filch reproduce', or {see}");
    }
    let mut command = filch;
    for name in &path[1..] {
        command = command.find_subcommand(name).unwrap_or(command);
    }
    let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    format!(
        "{}: say what to do: use one of {}, or {see}",
        path[1..].join(" "),
        names.join(", ")
    )
}

/// The arguments that have to be there; one of several has bars between them.
fn missing(error: &Error) -> Option<String> {
    let ContextValue::Strings(arguments) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let named = arguments.iter().map(|argument| {
        let several = argument
            .strip_prefix("<--")
            .and_then(|rest| rest.strip_suffix('>'));
        several.map_or(argument.clone(), |rest| {
            format!("--{}", rest.replace('|', " or "))
        })
    });
    let verb = if arguments.len() == 1 { "is" } else { "are" };
    Some(format!(
        "{} {verb} missing",
        named.collect::<Vec<_>>().join(" and ")
    ))
}

/// A value that its own type has refused, in the words of the type.
fn bad_value(error: &Error, typed: &[OsString]) -> Option<String> {
    let (argument, reason) = (argument(error)?, error.source()?);
    let variable = "FILCH_NUM_THREADS";
    let was_typed = |name: &str| {
        let mut words = typed.iter().filter_map(|word| word.to_str());
        words.any(|word| word.split('=').next() == Some(name))
    };
    // Only this argument has a variable of the environment for its default.
    let name = if argument == "--threads" && !was_typed("--threads") {
        variable
    } else {
        argument
    };
    Some(format!("{name}: {reason}"))
}

/// A value that is none of those listed.
fn not_listed(error: &Error) -> Option<String> {
    let argument = argument(error)?;
    let ContextValue::String(value) = error.get(ContextKind::InvalidValue)? else {
        return None;
    };
    let ContextValue::Strings(listed) = error.get(ContextKind::ValidValue)? else {
        return None;
    };
    if value.is_empty() || listed.is_empty() {
        return None;
    }
    let similar = match error.get(ContextKind::SuggestedValue) {
        Some(ContextValue::String(similar)) => format!("; did you mean '{similar}'?"),
        _ => String::new(),
    };
    let (value, listed) = (value.escape_debug(), listed.join(", "));
    Some(format!(
        "{argument}: '{value}' is none of {listed}{similar}"
    ))
}

/// The argument's name without its value: `--seed`, `<SHELL>`.
fn argument(error: &Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(argument) => argument.split(' ').next(),
        _ => None,
    }
}

/// clap's first paragraph, and its tip or where to look.
fn described(error: &Error, see: &str) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let what = text.split("\n\n").next().unwrap_or(text);
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    // A misspelt option is no value.
    let mut tips = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("tip: "))
        .filter(|tip| !tip.starts_with("to pass '"));
    match tips.next() {
        Some(tip) => format!("{what}: {tip}"),
        None => format!("{what}: {see}"),
    }
}
