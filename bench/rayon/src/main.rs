//! rayon's iterators on one core or the other.
//!
//! The program is built twice, once with each `rayon-core`. `compare PROGRAM` lets both measure one
//! row after the other, in turn.

mod compare;
mod measure;
mod rows;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("compare"), Some(other)) => compare::compare(&other, &arguments.collect::<Vec<_>>()),
        (Some("measure"), Some(threads)) => {
            measure::print(&threads, &arguments.next().unwrap_or_default())
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("type `compare PROGRAM [ROW…]`, or use bench/rayon/run");
    ExitCode::from(2)
}
