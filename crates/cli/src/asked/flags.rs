//! The flags of a command, so that another front end can be held against them.

use clap::CommandFactory;

use crate::args::Filch;

/// A flag of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name without dashes, such as `most-steps`.
    pub name: String,
    /// What it is if it is not typed, if that is always the same.
    pub default: Option<String>,
    /// Whether it has to be typed.
    pub required: bool,
}

/// The flags of the command with this path, such as `dag run`; none if there is no such command.
pub fn flags(path: &[String]) -> Option<Vec<Flag>> {
    let mut command = Filch::command();
    for name in path {
        command = command.find_subcommand(name)?.clone();
    }
    let flags = command.get_arguments().filter_map(|argument| {
        let default = argument.get_default_values().first();
        let takes_value = argument.get_action().takes_values();
        Some(Flag {
            name: argument.get_long()?.to_owned(),
            default: default
                .filter(|_| takes_value)
                .map(|value| value.to_string_lossy().into_owned()),
            required: argument.is_required_set(),
        })
    });
    Some(flags.filter(|flag| flag.name != "help").collect())
}
