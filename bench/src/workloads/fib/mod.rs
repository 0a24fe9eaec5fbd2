//! Fibonacci without cut-off: nothing but forks. It also serves as the short computation of the
//! latency rows.

mod chili;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;
mod serial;

use super::{TableGroup, fork_join};
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::runtimes::ForkJoinProgram;
use crate::sampling::Sampling;

/// fib(n).
#[derive(Debug)]
pub(crate) struct Fib {
    n: u64,
    expected: u64,
}

impl Fib {
    /// fib(`n`).
    pub(crate) fn of(n: u64) -> Fib {
        let (expected, _) = (0..n).fold((0, 1), |(a, b), _| (b, a + b));
        Fib { n, expected }
    }

    /// The calls that fork: fib(n + 1) − 1.
    pub(crate) fn forks(&self) -> u64 {
        Fib::of(self.n + 1).expected - 1
    }
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    fork_join(
        options,
        TableGroup::ForkJoin,
        "fib",
        &format!("fib({})", options.fib),
        &Fib::of(options.fib),
        Sampling::mean_of(1),
    )
}

impl ForkJoinProgram for Fib {
    type State = ();
    type Output = u64;

    fn state(&self) {}
    fn serial(&self, _: &mut ()) -> u64 {
        serial::fib(self.n)
    }
    fn filch(&self, _: &mut ()) -> u64 {
        filch::fib(self.n)
    }
    fn rayon(&self, _: &mut ()) -> u64 {
        rayon::fib(self.n)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, _: &mut ()) -> u64 {
        chili::fib(scope, self.n)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, _: &mut ()) -> u64 {
        forte::fib(worker, self.n)
    }
    fn verify(&self, (): &(), output: u64) {
        assert_eq!(output, self.expected, "fib({})", self.n);
    }
}
