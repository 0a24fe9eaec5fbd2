//! The bounds on a computation on P processors.

use std::fmt;

use filch_theory::machine::{
    Hypotheses, busy_leaves, communication, greedy, linear_space, lower, potential, steal_attempts,
};
use num_bigint::BigUint;
use serde::Serialize;

/// All bounds on a computation on P processors.
#[derive(Clone, Debug, Serialize)]
pub struct DagBounds {
    /// P.
    pub processors: u64,
    /// T1.
    pub work: u64,
    /// Tinf.
    pub span: u64,
    /// S1.
    pub stack_depth: u64,
    /// max(T1/P, Tinf): no schedule is faster.
    pub lower_time: f64,
    /// T1/P + Tinf.
    pub greedy_time: f64,
    /// Theorem 3, which is Theorem 1 and Lemma 2 together.
    pub busy_leaves_time: f64,
    /// S1·P.
    pub space: WholeNumber,
    /// ABP01: phases, in expectation.
    pub expected_phases: WholeNumber,
    /// ABP01: steal attempts, in expectation.
    pub expected_steal_attempts: WholeNumber,
    /// ABP01: time, in expectation.
    pub expected_time: f64,
    /// ε: how often the next three may fail.
    pub epsilon: f64,
    /// ABP01: phases, with probability 1 − ε.
    pub likely_phases: f64,
    /// ABP01: steal attempts, with probability 1 − ε.
    pub likely_steal_attempts: f64,
    /// ABP01: time, with probability 1 − ε.
    pub likely_time: f64,
    /// ABP01: successful phases.
    pub successful_phases: WholeNumber,
    /// P·Tinf·(1 + nd)·Smax, of which the bound is a constant multiple.
    pub communication: WholeNumber,
}

/// A whole number of any size. JSON has it as a number if 64 bits hold it, otherwise as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeNumber(pub BigUint);

impl Serialize for WholeNumber {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(&self.0) {
            Ok(number) => serializer.serialize_u64(number),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

impl fmt::Display for WholeNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl DagBounds {
    /// What follows from these measures; `epsilon` is how often a bound that holds with a
    /// probability may fail.
    pub fn of(given: &Hypotheses, epsilon: f64) -> Self {
        let busy_leaves = busy_leaves::bounds(given);
        Self {
            processors: given.processors,
            work: given.work,
            span: given.span,
            stack_depth: given.stack_depth,
            lower_time: lower::time(given),
            greedy_time: greedy::time(given),
            busy_leaves_time: busy_leaves.time,
            space: WholeNumber(linear_space::space(given)),
            expected_phases: WholeNumber(steal_attempts::expected_phases(given)),
            expected_steal_attempts: WholeNumber(steal_attempts::expected_attempts(given)),
            expected_time: steal_attempts::expected_time(given),
            epsilon,
            likely_phases: steal_attempts::likely_phases(given, epsilon),
            likely_steal_attempts: steal_attempts::likely_attempts(given, epsilon),
            likely_time: steal_attempts::likely_time(given, epsilon),
            successful_phases: WholeNumber(potential::most_successes(given)),
            communication: WholeNumber(communication::size(given)),
        }
    }
}
