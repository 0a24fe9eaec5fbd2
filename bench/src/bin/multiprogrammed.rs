//! Fork-join beside 0, 1, 2 and 4 spinning processes: filch beside rayon and chili.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin multiprogrammed              # some thirty seconds
//! cargo run --release -p filch-bench --bin multiprogrammed -- --rivals 0,2 --fib 30
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::multiprogrammed()
}
