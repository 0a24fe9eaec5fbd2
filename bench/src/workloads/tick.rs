//! A small parallel section every millisecond, as in a game or an audio loop: how long it takes,
//! and the CPU time of the whole process. The serial program shows what the sections alone cost.

use std::time::{Duration, Instant};

use super::Group;
use super::fib::Fib;
use super::short::SHORT;
use crate::args::Run;
use crate::clock::cpu_time;
use crate::measure::{Experiment, Gap, Plan, Row, Unit};
use crate::runtimes::{self, Caller};

/// The time between two sections.
const PERIOD: Duration = Duration::from_millis(1);

/// The rows of this workload.
pub(crate) fn measure(run: &Run) -> Vec<Row> {
    let plan = Plan {
        samples: run.scale.pick(500, 2000),
        repeats: 1,
        gap: Gap::Tick(PERIOD),
    };
    let n = SHORT[1] - 2;
    let program = Fib::of(n);
    let what = [
        format!("fib({n}) every ms, CPU"),
        format!("fib({n}) every ms, section"),
    ];
    let rows = run.parallel_threads().flat_map(|threads| {
        let (group, workload, caller) = (Group::Cpu, "tick", Caller::Joins);
        let experiment = Experiment {
            run,
            group,
            workload,
            threads,
            caller,
            together: false,
        };
        let rows = [(&*what[0], Unit::CpuShare), (&*what[1], Unit::Microseconds)];
        experiment.rows(&rows, |runtime| {
            runtimes::outside(
                runtime,
                &program,
                &Plan {
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
