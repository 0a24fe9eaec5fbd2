//! `filch proxy`: dispatch policies in front of real servers.

mod demo;
#[cfg(feature = "proxy")]
mod serve;

#[cfg(not(feature = "proxy"))]
use std::path::Path;

use crate::args::Proxy;
use crate::failure::Failure;

pub(crate) fn run(command: &Proxy) -> Result<(), Failure> {
    match command {
        Proxy::Demo(options) => demo::run(options),
        #[cfg(feature = "proxy")]
        Proxy::Run(path) => serve::run(path),
        #[cfg(feature = "proxy")]
        Proxy::Check(path) => serve::check(path),
        #[cfg(not(feature = "proxy"))]
        Proxy::Run(path) => absent("--config", path),
        #[cfg(not(feature = "proxy"))]
        Proxy::Check(path) => absent("--check", path),
    }
}

/// What this build of the program cannot do.
#[cfg(not(feature = "proxy"))]
fn absent(option: &str, path: &Path) -> Result<(), Failure> {
    Err(Failure::run(format!(
        "proxy {option} {}: built without the feature `proxy`: build with 'cargo build --release --features proxy' \
         (needs cmake), or try 'filch proxy demo'",
        path.display()
    )))
}
