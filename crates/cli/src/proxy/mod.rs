//! `filch proxy`: dispatch policies in front of real servers.

mod demo;
#[cfg(feature = "proxy")]
mod serve;

use std::path::Path;

use crate::args::{Proxy, ProxyTask};
use crate::failure::Failure;

pub(crate) fn run(options: &Proxy) -> Result<(), Failure> {
    match options {
        Proxy {
            command: Some(ProxyTask::Demo(options)),
            ..
        } => demo::run(options),
        Proxy {
            config: Some(path), ..
        } => config(path),
        Proxy {
            check: Some(path), ..
        } => check(path),
        _ => unreachable!("arguments that say nothing are refused"),
    }
}

#[cfg(feature = "proxy")]
fn config(path: &Path) -> Result<(), Failure> {
    serve::run(path)
}

#[cfg(feature = "proxy")]
fn check(path: &Path) -> Result<(), Failure> {
    serve::check(path)
}

#[cfg(not(feature = "proxy"))]
fn config(path: &Path) -> Result<(), Failure> {
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
