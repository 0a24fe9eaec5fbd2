//! What waiting costs with 4 to 64 workers, in time and in stacks, filch beside rayon.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin waiting                      # some five minutes
//! cargo run --release -p filch-bench --bin waiting -- --quick           # less than a minute
//! cargo run --release -p filch-bench --bin waiting -- --row list --workers 16,64
//! cargo run --release -p filch-bench --bin waiting -- --json > raw.json
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::waiting()
}
