//! A computation so short that waking a helper may cost more than it saves, started by a thread
//! that is in the pool already.

use super::fib::Fib;
use super::{Group, fork_join};
use crate::args::Run;
use crate::measure::{Gap, Plan, Row};

/// fib(n) of about 20 µs and of about 134 µs; the serial column says what they take here.
pub(crate) const SHORT: [u64; 2] = [20, 24];

/// The rows of this workload.
pub(crate) fn measure(run: &Run) -> Vec<Row> {
    let plan = Plan {
        samples: run.scale.pick(200, 1000),
        repeats: 1,
        gap: Gap::None,
    };
    let rows = SHORT.iter().flat_map(|n| {
        let what = format!("fib({n}) inside the pool");
        fork_join(run, Group::Latency, "short", &what, &Fib::of(*n), plan)
    });
    rows.collect()
}
