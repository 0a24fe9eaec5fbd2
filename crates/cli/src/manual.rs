//! Completions and manual pages, made from the definition of the arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::RawArgs;
use crate::failure::Failure;
use crate::output;

/// The completion script for `shell`, on standard output.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut RawArgs::command(), "filch", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// The manual page of filch, or of one of its commands, on standard output.
pub(crate) fn man(command: Option<&str>) -> Result<(), Failure> {
    let mut filch = RawArgs::command();
    filch.build();
    let page = match command {
        None => filch,
        Some(name) => filch.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<_> = filch
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            Failure::usage(format!(
                "man: there is no command '{}': use one of {}",
                name.escape_debug(),
                names.join(", ")
            ))
        })?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::printing(&error))?;
    output::print(&String::from_utf8_lossy(&text))
}
