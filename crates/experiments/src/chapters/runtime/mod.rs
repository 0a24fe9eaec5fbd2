//! The runtime on this machine: time against T1/P + T∞, and stacks against S1.

mod programs;
mod stacks;
mod times;

use crate::chapters::Setting;
use crate::parallel;
use crate::values::{Chapter, Table};
use programs::programs;
use stacks::{STACK_WORKERS, stacks};
use times::{Times, plot, rows_of, time};

pub(super) const TITLE: &str = "The runtime on this machine";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let workers = workers();
    let rounds = setting.scale.pick(5, 11, 31);
    let programs = programs(setting.scale);
    setting.expect(programs.len() + STACK_WORKERS.len());
    let times: Vec<Times> = programs
        .iter()
        .map(|program| {
            let times = time(program, &workers, rounds);
            setting.tick();
            times
        })
        .collect();
    let plot = plot(setting, &programs, &workers, &times);
    let rows = programs.iter().zip(&times);
    let rows = rows.flat_map(|(program, times)| rows_of(program, &workers, times));
    let times = Table {
        title: "Time against T1/P + T∞, in milliseconds, median".to_owned(),
        columns: vec![
            "program",
            "work, nodes",
            "span, nodes",
            "workers",
            "time",
            "T1/P + T∞",
            "ratio",
        ],
        rows: rows.collect(),
    };
    let (claim, stacks) = stacks(setting);
    Chapter {
        id: "runtime",
        title: TITLE,
        text: "BL99 promises time T1/P + O(T∞) and space S1·P. This chapter measures both on the \
               threads of this machine. The programs fork at every node, without a sequential \
               cut-off. T∞ is the number of nodes on a longest path times the cost of a node, \
               which is T1 over the number of nodes. The stacks are those of jobs that descend 64 \
               frames of 1 KiB and join there: a worker that ran unrelated jobs while it waits \
               would stack them up. Times differ from run to run."
            .to_owned(),
        measured: true,
        claims: vec![claim],
        tables: vec![times, stacks],
        plots: vec![plot],
    }
}

/// Numbers of workers: powers of two below the number of processors, and that number.
fn workers() -> Vec<usize> {
    let most = parallel::threads().get();
    let mut workers: Vec<usize> = std::iter::successors(Some(1), |workers| Some(workers * 2))
        .take_while(|&w| w < most)
        .collect();
    workers.push(most);
    workers
}
