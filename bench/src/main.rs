//! Workload × runtime, always beside the serial program; the README says how to read it.

mod args;
mod clock;
mod machine;
mod measure;
mod report;
mod runtimes;
mod splitmix;
mod workloads;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Run};

fn main() -> ExitCode {
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
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            report::progress(&format!("cannot write the results: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
