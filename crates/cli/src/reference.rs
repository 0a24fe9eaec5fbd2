//! `filch reference`: the help of every command as one page, for the documentation site.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use crate::args::Filch;
use crate::failure::Failure;
use crate::output;

/// Prints the page.
pub(crate) fn run() -> Result<(), Failure> {
    output::print(&page())
}

const HEAD: &str = "\
# Reference

What `filch COMMAND --help` prints, for every command. This page is made by `filch reference >
docs/reference.md`; a test compares the two.
";

fn page() -> String {
    let mut filch = Filch::command();
    filch.build();
    let mut page = HEAD.to_owned();
    describe(&filch, &mut page);
    page
}

/// Adds a section on this command, and one for each command below it.
fn describe(command: &Command, page: &mut String) {
    // The width of the terminal must not matter.
    let help = command.clone().term_width(100).render_long_help();
    let name = command
        .get_display_name()
        .unwrap_or(command.get_name())
        .replace('-', " ");
    let _ = write!(page, "\n## {name}\n\n```text\n");
    for line in help.to_string().lines() {
        let _ = writeln!(page, "{}", line.trim_end());
    }
    page.push_str("```\n");
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        describe(below, page);
    }
}
