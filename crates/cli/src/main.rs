//! `filch`: raw arguments → checked options → run → export.
//!
//! Exit codes: 0 if the run succeeded, 1 if it failed, 2 if the arguments made no sense. Whatever
//! goes wrong is one line on standard error that says what to type instead.

mod args;
mod dag;
mod dispatch;
mod failure;
mod folder;
mod manual;
mod natural;
mod output;
mod policies;
mod progress;
mod proxy;
mod reproduce;
mod theory;

use std::process::ExitCode;

use args::Command;
use failure::Failure;

fn main() -> ExitCode {
    match args::parse(std::env::args_os()).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Show(text) => output::print(&text),
        Command::Policies(options) => policies::run(&options),
        Command::Dispatch(options) => dispatch::run(&options),
        Command::Proxy(command) => proxy::run(&command),
        Command::Reproduce(options) => reproduce::run(&options),
        Command::Dag(command) => dag::run(&command),
        Command::Natural(options) => natural::run(&options),
        Command::Theory(options) => theory::run(&options),
        Command::Completions(shell) => manual::completions(shell),
        Command::Man(page) => manual::man(page.as_deref()),
    }
}
