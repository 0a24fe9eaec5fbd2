//! A small parallel section every millisecond, as in a game or an audio loop: how long it takes,
//! and the CPU time of the whole process. The serial program shows what the sections alone cost.

use std::time::{Duration, Instant};

use super::TableGroup;
use super::fib::Fib;
use super::short::SHORT;
use crate::clock::cpu_time;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{self, Caller};
use crate::sampling::{Gap, Sampling};

/// The time between two sections.
const PERIOD: Duration = Duration::from_millis(1);

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let plan = Sampling {
        samples: options.scale.pick(500, 2000),
        repeats: 1,
        gap: Gap::Tick(PERIOD),
    };
    let n = SHORT[1] - 2;
    let program = Fib::of(n);
    let what = [
        format!("fib({n}) every ms, CPU"),
        format!("fib({n}) every ms, section"),
    ];
    let rows = options.parallel_threads().flat_map(|threads| {
        let (group, caller) = (TableGroup::Cpu, Caller::Joins);
        let experiment = Experiment::new(options, group, "tick", threads, caller);
        let rows = [(&*what[0], Unit::CpuShare), (&*what[1], Unit::Microseconds)];
        experiment.rows(&rows, |runtime| {
            runtimes::outside(
                runtime,
                &program,
                &Sampling {
                    samples: 20,
                    ..plan
                },
            );
            let (wall, cpu) = (Instant::now(), cpu_time());
            let sections = runtimes::outside(runtime, &program, &plan);
            let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
            vec![vec![cpu.as_secs_f64() / wall.as_secs_f64()], sections]
        })
    });
    rows.collect()
}
