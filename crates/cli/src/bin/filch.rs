//! The program `filch`: see the library of the same package.

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_cli::main(std::env::args_os()).into()
}
