//! Far more workers than processors: the processor time of sections and jobs, filch beside rayon.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin crowd                        # some two minutes
//! cargo run --release -p filch-bench --bin crowd -- --workers 64 --row sections
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    filch_bench::crowd()
}
