//! What a fork costs in instructions, counted by callgrind: the same on a busy machine.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin instructions
//! cargo run --release -p filch-bench --bin instructions -- --program tree --runtime filch
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::instructions()
}
