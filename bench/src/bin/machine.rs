//! Instructions a second of simulated processors, by CPU time on one core.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin machine
//! cargo run --release -p filch-bench --bin machine -- fib:32 stealing 64
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::machine()
}
