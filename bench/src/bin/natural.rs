//! Processor-steps a second of the natural work-stealing process, beside the plain loop.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin natural
//! cargo run --release -p filch-bench --bin natural -- --full --json > raw.json
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::natural()
}
