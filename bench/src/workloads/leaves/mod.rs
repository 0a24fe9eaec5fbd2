//! One `join` of two leaves that never fork: does the second one find a thread? Once with join
//! after join. And once with half a millisecond before each in which the caller computes alone, as
//! programs do between parallel sections: by then the other worker sleeps.

mod chili;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;
mod serial;

use std::hint::black_box;

use super::{TableGroup, fork_join};
use crate::clock::spin;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::runtimes::ForkJoinProgram;
use crate::sampling::{Gap, Sampling};

/// What the caller computes alone before each join, in microseconds, with the words for it.
const ALONE_US: [(f64, &str); 2] = [(0.0, "join after join"), (500.0, "after 500 µs alone")];

/// A leaf; the compiler cannot see that two of them compute the same.
fn leaf(spins: u64) -> u64 {
    spin(black_box(spins))
}

/// A join of two leaves.
#[derive(Debug)]
struct Leaves {
    spins: u64,
    expected: u64,
}

/// The rows for leaves of `us` microseconds.
pub(crate) fn measure(options: &MatrixOptions, name: &'static str, us: f64) -> Vec<MatrixRow> {
    let spins = options.spins(us);
    let program = Leaves {
        spins,
        expected: spin(spins),
    };
    let rows = ALONE_US.iter().flat_map(|(alone_us, when)| {
        let gap = Gap::Alone(options.spins(*alone_us));
        let plan = Sampling {
            samples: options.scale.pick(20, 50),
            repeats: 1,
            gap,
        };
        let what = format!("join of two leaves of {us} µs, {when}");
        fork_join(options, TableGroup::Latency, name, &what, &program, plan)
    });
    rows.collect()
}

impl ForkJoinProgram for Leaves {
    type State = ();
    type Output = (u64, u64);

    fn state(&self) {}
    fn serial(&self, _: &mut ()) -> (u64, u64) {
        serial::both(self.spins)
    }
    fn filch(&self, _: &mut ()) -> (u64, u64) {
        filch::both(self.spins)
    }
    fn rayon(&self, _: &mut ()) -> (u64, u64) {
        rayon::both(self.spins)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, _: &mut ()) -> (u64, u64) {
        chili::both(scope, self.spins)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, _: &mut ()) -> (u64, u64) {
        forte::both(worker, self.spins)
    }
    fn verify(&self, (): &(), output: (u64, u64)) {
        assert_eq!(
            output,
            (self.expected, self.expected),
            "what the leaves computed"
        );
    }
}
