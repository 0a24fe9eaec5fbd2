//! What the theorems say, as values to print.

use std::fmt;

use filch_theory::machine::{
    Hypotheses, busy_leaves, communication, greedy, linear_space, lower, potential, steal_attempts,
};
use num_bigint::BigUint;
use serde::Serialize;

use super::table::Table;

/// All bounds on a computation on P processors. Whole numbers that 64 bits do not hold are written
/// as text.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bounds {
    pub(crate) processors: u64,
    pub(crate) work: u64,
    pub(crate) span: u64,
    pub(crate) stack_depth: u64,
    /// max(T1/P, Tinf): no schedule is faster.
    pub(crate) lower_time: f64,
    /// T1/P + Tinf.
    pub(crate) greedy_time: f64,
    /// Theorem 3, which is Theorem 1 and Lemma 2 together.
    pub(crate) busy_leaves_time: f64,
    /// S1·P.
    pub(crate) space: Whole,
    /// ABP01, in expectation: phases, attempts and time.
    pub(crate) expected_phases: Whole,
    pub(crate) expected_steal_attempts: Whole,
    pub(crate) expected_time: f64,
    /// ABP01, with probability 1 − ε.
    pub(crate) epsilon: f64,
    pub(crate) likely_phases: f64,
    pub(crate) likely_steal_attempts: f64,
    pub(crate) likely_time: f64,
    /// ABP01: successful phases.
    pub(crate) successful_phases: Whole,
    /// P·Tinf·(1 + nd)·Smax, of which the bound is a constant multiple.
    pub(crate) communication: Whole,
}

/// A whole number of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole(pub(crate) BigUint);

impl Serialize for Whole {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(&self.0) {
            Ok(number) => serializer.serialize_u64(number),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Bounds {
    pub(crate) fn of(given: &Hypotheses, epsilon: f64) -> Self {
        let busy_leaves = busy_leaves::bounds(given);
        Self {
            processors: given.processors,
            work: given.work,
            span: given.span,
            stack_depth: given.stack_depth,
            lower_time: lower::time(given),
            greedy_time: greedy::time(given),
            busy_leaves_time: busy_leaves.time,
            space: Whole(linear_space::space(given)),
            expected_phases: Whole(steal_attempts::expected_phases(given)),
            expected_steal_attempts: Whole(steal_attempts::expected_attempts(given)),
            expected_time: steal_attempts::expected_time(given),
            epsilon,
            likely_phases: steal_attempts::likely_phases(given, epsilon),
            likely_steal_attempts: steal_attempts::likely_attempts(given, epsilon),
            likely_time: steal_attempts::likely_time(given, epsilon),
            successful_phases: Whole(potential::most_successes(given)),
            communication: Whole(communication::size(given)),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "work {}, span {}, stack depth {} on {} processors\n",
            self.work, self.span, self.stack_depth, self.processors
        )?;
        let mut table = Table::new(["bound", "value", "stated in"]);
        let mut row = |what: String, value: String, stated: &str| {
            table.row([what, value, stated.to_owned()]);
        };
        let real = |value: f64| format!("{value:.1}");
        let rare = self.epsilon;
        row(
            "time, at least".into(),
            real(self.lower_time),
            "BL99 section 2",
        );
        row(
            "time, greedy".into(),
            real(self.greedy_time),
            "BL99 Theorem 1",
        );
        row(
            "time, busy leaves".into(),
            real(self.busy_leaves_time),
            "BL99 Theorem 3",
        );
        row(
            "space, busy leaves and stealing".into(),
            self.space.to_string(),
            "BL99 Theorems 3 and 5",
        );
        row(
            "successful phases, fewer than".into(),
            self.successful_phases.to_string(),
            "ABP01, proof of the run-time bound",
        );
        row(
            "phases, expected".into(),
            self.expected_phases.to_string(),
            "ABP01, run-time bound",
        );
        row(
            "steal attempts, expected".into(),
            self.expected_steal_attempts.to_string(),
            "ABP01, run-time bound",
        );
        row(
            "time, vertex stealing, expected".into(),
            real(self.expected_time),
            "ABP01, run-time bound",
        );
        row(
            format!("phases, but for {rare}"),
            real(self.likely_phases),
            "ABP01, run-time bound",
        );
        row(
            format!("steal attempts, but for {rare}"),
            real(self.likely_steal_attempts),
            "ABP01, run-time bound",
        );
        row(
            format!("time, vertex stealing, but for {rare}"),
            real(self.likely_time),
            "ABP01, run-time bound",
        );
        row(
            "communication, up to a constant".into(),
            self.communication.to_string(),
            "BL99 section 6",
        );
        write!(f, "{table}")
    }
}
