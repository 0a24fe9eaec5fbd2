//! rayon's iterators on one core or the other.
//!
//! The program is built twice, once with each `rayon-core`. `compare PROGRAM` starts both as children that
//! measure one row when they are told its name, and asks them in turn.

mod compare;
mod measure;
mod rows;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("compare") => match arguments.next() {
            Some(other) => compare::compare(&other, &arguments.collect::<Vec<_>>()),
            None => usage(),
        },
        Some("serve") => measure::serve(),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("type `compare PROGRAM [ROW…]`, or use bench/rayon/run");
    ExitCode::from(2)
}
