//! `filch proxy`: dispatch policies in front of real servers.

mod demo;
#[cfg(feature = "proxy")]
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

#[cfg(feature = "proxy")]
fn config(path: &Path, upgrade: bool) -> Result<(), Failure> {
    serve::run(path, upgrade)
}

#[cfg(feature = "proxy")]
fn check(path: &Path) -> Result<(), Failure> {
    serve::check(path)
}

#[cfg(not(feature = "proxy"))]
fn config(path: &Path, _: bool) -> Result<(), Failure> {
    absent("--config", path)
}

#[cfg(not(feature = "proxy"))]
fn check(path: &Path) -> Result<(), Failure> {
    absent("--check", path)
}

/// What this build of the program cannot do.
#[cfg(not(feature = "proxy"))]
fn absent(option: &str, path: &Path) -> Result<(), Failure> {
    Err(Failure::run(format!(
        "proxy {option} {}: built without the feature `proxy`: build with 'cargo build --release \
         --features proxy' (needs cmake), or try 'filch proxy demo'",
        path.display()
    )))
}
