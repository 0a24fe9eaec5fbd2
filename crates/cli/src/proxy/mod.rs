//! `filch proxy`: dispatch policies in front of real servers.

mod demo;
#[cfg(all(feature = "proxy", unix))]
mod serve;

use std::path::Path;

use crate::args::{ProxyArgs, ProxyTask};
use crate::failure::Failure;

pub(crate) fn run(options: &ProxyArgs) -> Result<(), Failure> {
    match options {
        ProxyArgs {
            command: Some(ProxyTask::Demo(options)),
            ..
        } => demo::run(options),
        ProxyArgs {
            config: Some(path),
            upgrade,
            ..
        } => config(path, *upgrade),
        ProxyArgs {
            check: Some(path), ..
        } => check(path),
        _ => unreachable!("arguments that say nothing are refused"),
    }
}

#[cfg(all(feature = "proxy", unix))]
fn config(path: &Path, upgrade: bool) -> Result<(), Failure> {
    serve::run(path, upgrade)
}

#[cfg(all(feature = "proxy", unix))]
fn check(path: &Path) -> Result<(), Failure> {
    serve::check(path)
}

#[cfg(not(all(feature = "proxy", unix)))]
fn config(path: &Path, _: bool) -> Result<(), Failure> {
    absent("--config", path)
}

#[cfg(not(all(feature = "proxy", unix)))]
fn check(path: &Path) -> Result<(), Failure> {
    absent("--check", path)
}

/// What this build of the program cannot do.
#[cfg(not(all(feature = "proxy", unix)))]
fn absent(option: &str, path: &Path) -> Result<(), Failure> {
    Err(Failure::run(format!(
        "proxy {option} {}: built without the proxy: build with 'cargo build --release' on Linux or \
         another Unix, or try 'filch proxy demo'",
        path.display()
    )))
}
