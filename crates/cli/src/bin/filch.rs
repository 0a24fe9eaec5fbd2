//! The program `filch`: see the library of the same package.

use std::process::ExitCode;

/// Each request of the proxy takes and gives back a buffer of 64 KiB, Pingora's for the answer's
/// body. glibc tidies up its heap whenever it gets back that much. docs/proxy.md has the figures.
#[cfg(feature = "proxy")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    filch_cli::main(std::env::args_os()).into()
}
