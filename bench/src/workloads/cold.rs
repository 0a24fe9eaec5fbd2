//! A short computation started by an outside thread after the pool had nothing to do for 5 ms.

use std::time::Duration;

use super::TableGroup;
use super::fib::Fib;
use super::short::SHORT;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{self, Caller};
use crate::sampling::{Gap, Sampling};

/// The pause before each computation.
const PAUSE: Duration = Duration::from_millis(5);

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let plan = Sampling {
        samples: options.scale.pick(20, 50),
        repeats: 1,
        gap: Gap::Sleep(PAUSE),
    };
    let sizes = [SHORT[0], SHORT[1], SHORT[1] + 3];
    let cases = options
        .parallel_threads()
        .flat_map(|threads| sizes.map(|n| (threads, n)));
    let rows = cases.flat_map(|(threads, n)| {
        let (group, caller) = (TableGroup::Latency, Caller::Joins);
        let experiment = Experiment::new(options, group, "cold", threads, caller);
        let what = format!("fib({n}) from outside, cold");
        let program = Fib::of(n);
        experiment.rows(&[(&what, Unit::Microseconds)], |runtime| {
            vec![runtimes::outside(runtime, &program, &plan)]
        })
    });
    rows.collect()
}
