//! Workload × runtime: filch beside its peers, and always beside the serial program.
//!
//! Each function here is the whole of a program of the same name; the README says how to run them
//! and how to read what they print.

mod args;
mod clock;
mod instructions;
mod machine;
mod measure;
mod report;
mod runtimes;
mod splitmix;
mod waiting;
mod workloads;

use std::io;
use std::process::ExitCode;

pub use instructions::instructions;
pub use waiting::waiting;

use clap::Parser;

use args::{Args, Run};

/// The matrix: every workload on every runtime that can express it.
pub fn matrix() -> ExitCode {
    let run = match Run::checked(&Args::parse()) {
        Ok(run) => run,
        Err(message) => {
            report::progress(&message);
            return ExitCode::from(2);
        }
    };
    let printed = if run.list {
        report::list(&run)
    } else {
        let rows = workloads::measure(&run);
        report::results(&run, &rows)
    };
    exit_code(printed)
}

/// Zero for a reader that has had enough; one, with a line on standard error, for any other
/// failure to write the results.
fn exit_code(printed: io::Result<()>) -> ExitCode {
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            report::progress(&format!("cannot write the results: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
