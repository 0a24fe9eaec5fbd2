//! `filch proxy`: dispatch policies in front of real servers.

mod demo;

use std::path::Path;

use crate::args::Proxy;
use crate::failure::Failure;

pub(crate) fn run(command: &Proxy) -> Result<(), Failure> {
    match command {
        Proxy::Demo(options) => demo::run(options),
        Proxy::Run(path) => absent("--config", path),
        Proxy::Check(path) => absent("--check", path),
    }
}

/// What this build of the program cannot do.
fn absent(option: &str, path: &Path) -> Result<(), Failure> {
    Err(Failure::run(format!(
        "proxy {option} {}: built without the feature `proxy`: build with 'cargo build --release --features proxy' \
         (needs cmake), or try 'filch proxy demo'",
        path.display()
    )))
}
