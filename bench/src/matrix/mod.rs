//! The matrix: every workload on every runtime that can express it.

pub(crate) mod args;
mod report;
pub(crate) mod rounds;

use std::process::ExitCode;

use clap::Parser;

use crate::{output, workloads};
use args::{MatrixArgs, MatrixOptions};

/// The program `filch-bench`: workload × runtime, always beside the serial program.
pub fn matrix() -> ExitCode {
    let options = match MatrixOptions::checked(MatrixArgs::parse()) {
        Ok(options) => options,
        Err(message) => return output::refuse(&message),
    };
    output::exit_code(if options.list {
        report::list(&options)
    } else {
        report::results(&options, &workloads::measure(&options))
    })
}
