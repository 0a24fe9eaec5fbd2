//! How well a profile predicts.
//!
//! `bench/foresight/run` builds this program twice, with and without recording. The plain one
//! starts the recording one to get profiles, draws the conclusions, and measures the same programs
//! itself.
//!
//!     filch-foresight table RECORDING [PROGRAM…]    the table of accuracy
//!     filch-foresight run PROGRAM THREADS           one program, twice: prints work and span of
//!                                                   the second run in ns, if they are known

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for terminals"
)]

mod programs;
#[cfg(feature = "table")]
mod table;

use std::process::ExitCode;

use programs::Program;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["run", name, threads] => {
            let program = Program::ALL.iter().find(|program| program.name == name);
            match (program, threads.parse()) {
                (Some(program), Ok(threads)) => {
                    if let Some(taken) = program.run_twice(threads) {
                        println!("{} {}", taken.work.as_nanos(), taken.span.as_nanos());
                    }
                    ExitCode::SUCCESS
                }
                _ => usage(),
            }
        }
        #[cfg(feature = "table")]
        ["table", recording, ref names @ ..] => {
            match table::print(std::path::Path::new(recording), names) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("filch-foresight: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("filch-foresight: use 'table RECORDING [PROGRAM…]' or 'run PROGRAM THREADS'");
    ExitCode::from(2)
}
