//! `filch`: arguments → run → export.
//!
//! The program is [`main`]. [`asked`] is what another front end shares with it: the same arguments
//! with the same defaults, checked in the same words, and the same answers. [`profile`] is what
//! `filch profile` concludes.
//!
//! Exit codes: 0 if the run succeeded, 1 if it failed, 2 if the arguments made no sense. Every
//! failure is one line on standard error that says what to type instead.

mod args;
pub mod asked;
mod build_number;
mod dag;
mod dispatch;
mod doctor;
mod failure;
mod fleet;
mod folder;
mod input;
mod limit;
mod manual;
mod memory;
mod natural;
mod output;
mod policies;
pub mod profile;
mod progress;
mod proxy;
mod reference;
mod reproduce;
mod rivals;
mod sweep;
mod theory;

use std::ffi::OsString;

use args::{Command, Typed};
pub use build_number::loaded_from;
pub use failure::Failure;

/// Does what the arguments say, the name of the program first, and returns the exit code.
pub fn main(args: impl Iterator<Item = OsString>) -> u8 {
    let done = args::parse(args).and_then(|typed| match typed {
        Typed::Help(text) => output::print(&text),
        Typed::Command(command) => run(&command),
    });
    match done {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Policies(options) => policies::run(options),
        Command::Dispatch(options) => dispatch::run(options),
        Command::Proxy(options) => proxy::run(options),
        Command::Reproduce(options) => reproduce::run(options),
        Command::Dag(command) => dag::run(command),
        Command::Natural(options) => natural::run(options),
        Command::Theory(topic) => theory::run(topic),
        Command::Limit(model) => limit::run(model),
        Command::Fleet(options) => fleet::run(options),
        Command::Rivals(options) => rivals::run(options),
        Command::Sweep(options) => sweep::run(options),
        Command::Merge(options) => sweep::merge(options),
        Command::Doctor(options) => doctor::run(options),
        Command::Profile(options) => profile::run(options),
        Command::Completions { shell } => manual::completions(*shell),
        Command::Man { command } => manual::man(command),
        Command::Reference => reference::run(),
    }
}
