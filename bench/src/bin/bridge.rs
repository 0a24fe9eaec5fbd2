//! What stands between asynchronous code and threads: awaited jobs, requests beside batches,
//! classes, cancellation, values of workers, random streams.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin bridge                # some two minutes
//! cargo run --release -p filch-bench --bin bridge -- requests    # one table
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::bridge()
}
