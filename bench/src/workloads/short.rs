//! A computation so short that waking a helper may cost more than it saves, started by a thread
//! that is in the pool already.

use super::fib::Fib;
use super::{TableGroup, fork_join};
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::sampling::{Gap, Sampling};

/// fib(n) of about 20 µs and of about 134 µs; the serial column says what they take here.
pub(crate) const SHORT: [u64; 2] = [20, 24];

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let plan = Sampling {
        samples: options.scale.pick(200, 1000),
        repeats: 1,
        gap: Gap::None,
    };
    let rows = SHORT.iter().flat_map(|n| {
        let what = format!("fib({n}) inside the pool");
        fork_join(
            options,
            TableGroup::Latency,
            "short",
            &what,
            &Fib::of(*n),
            plan,
        )
    });
    rows.collect()
}
