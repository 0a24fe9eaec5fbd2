//! `cargo filch`: any rayon program on filch's scheduler, its manifest and lock file untouched.
//!
//! The program carries the sources of our `rayon-core` and of what that needs
//! ([`core_tree`]), unpacks them into cargo's target folder, and calls cargo with a patch on its
//! command line. The program's [lock file](lock) stays as it was.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

mod args;
mod cargo;
mod child;
mod core_tree;
mod ending;
mod failure;
mod lock;
mod place;
mod profile;
mod signals;

use args::{Asked, Command, Request};
use cargo::Cargo;
use failure::Failure;
use lock::LockFile;
use place::Place;
use profile::Recording;
use signals::Signals;

fn main() -> ExitCode {
    let mut words: Vec<OsString> = env::args_os().skip(1).collect();
    // Cargo calls `cargo-filch filch …`.
    if words.first().is_some_and(|word| word == "filch") {
        words.remove(0);
    }
    match args::parse(words) {
        Ok(Asked::Help) => print(include_str!("help.txt")),
        Ok(Asked::Version) => print(&format!("cargo-filch {}\n", env!("CARGO_PKG_VERSION"))),
        Ok(Asked::Do(request)) => perform(&request).unwrap_or_else(Failure::report),
        Err(failure) => failure.report(),
    }
}

/// Runs cargo's command on our core.
fn perform(request: &Request) -> Result<ExitCode, Failure> {
    let signals =
        Signals::catch().map_err(|error| Failure::run(format!("cannot catch signals: {error}")))?;
    let cargo = Cargo::new(&request.known);
    let place = Place::find(&cargo, &request.known)?;
    let core = core_tree::unpacked(&place.home, request.variant())?;
    let patch = cargo::patch(&core)?;
    let recording = match request.command {
        Command::Profile => Some(Recording::new(request, &place)?),
        _ => None,
    };
    let mut lock = LockFile::prepare(&cargo, &place, request, &patch, &signals)?;
    let mut call = cargo.plain(request.command.of_cargo());
    call.args(["--config", &patch]);
    if request.command != Command::Fetch {
        call.arg("--target-dir").arg(&place.home);
    }
    if let Some(recording) = &recording {
        recording.ask_for(&mut call);
    }
    call.args(&request.arguments);
    let status = child::run(&cargo, &mut call, &mut lock, &signals)?;
    if let Some(recording) = recording {
        recording.show(status)?;
    }
    Ok(ending::as_child(status))
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
