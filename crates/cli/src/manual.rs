//! Completions and manual pages, made from the definition of the arguments.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::args::{Filch, nearest};
use crate::failure::Failure;
use crate::output;

/// The completion script for `shell`, on standard output.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Filch::command(), "filch", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// The manual page of filch, or of the command that these words name, on standard output.
pub(crate) fn man(words: &[String]) -> Result<(), Failure> {
    let mut filch = Filch::command();
    filch.build();
    let mut page = &filch;
    for word in words {
        page = page
            .find_subcommand(word)
            .ok_or_else(|| unknown(page, word))?;
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone())
        .render(&mut text)
        .map_err(|error| Failure::printing(&error))?;
    output::print(&String::from_utf8_lossy(&text))
}

/// There is no such command below `page`.
fn unknown(page: &Command, word: &str) -> Failure {
    let names: Vec<_> = page.get_subcommands().map(Command::get_name).collect();
    let name = page
        .get_display_name()
        .unwrap_or(page.get_name())
        .replace('-', " ");
    let word = word.escape_debug().to_string();
    if names.is_empty() {
        return Failure::usage(format!(
            "man: '{name}' has no command '{word}': leave '{word}' out"
        ));
    }
    let near = nearest(&word, names.iter().copied());
    Failure::usage(format!(
        "man: there is no command '{word}': use one of {}{}",
        names.join(", "),
        near.map_or(String::new(), |near| format!("; {near}"))
    ))
}
