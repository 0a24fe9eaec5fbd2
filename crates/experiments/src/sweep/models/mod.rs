//! One file for each model: its parameters, its results, its checks and its run.

mod dag;
mod dispatch;
mod fleet;
mod limit;
mod names;
mod natural;

pub(super) use dag::DAG;
pub(super) use dispatch::DISPATCH;
pub(super) use fleet::FLEET;
pub(super) use limit::{LIMIT_NATURAL, LIMIT_STEALING, LIMIT_SUPERMARKET};
pub(super) use natural::NATURAL;

use super::parameter::{DefaultValue, Parameter, ParameterKind};

/// The words of a verdict.
const VERDICTS: &[&str] = &["stable", "unstable", "undecided"];

/// The largest number of jobs that a float holds exactly.
const MOST_JOBS: u64 = 1 << 53;

const fn parameter(
    name: &'static str,
    kind: ParameterKind,
    default: DefaultValue,
    meaning: &'static str,
) -> Parameter {
    Parameter {
        name,
        meaning,
        kind,
        default,
    }
}

const fn whole(least: u64, most: u64) -> ParameterKind {
    ParameterKind::Whole { least, most }
}
