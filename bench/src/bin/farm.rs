//! Slots a second of the simulated server farm, beside the plain farm that moves job by job.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin farm
//! cargo run --release -p filch-bench --bin farm -- --servers 100 --policy pi,jsq
//! cargo run --release -p filch-bench --bin farm -- --figures      # all of PI's Figures 1 and 2
//! ```

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    filch_bench::farm()
}
