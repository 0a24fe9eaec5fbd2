//! Workload × runtime, always beside the serial program; the README says how to read it.

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::matrix()
}
