//! The workloads, in the order of the table.

mod branching;
mod cold;
mod fib;
mod idle;
mod leaves;
mod matmul;
mod open_loop;
mod queens;
mod quicksort;
mod scope_spawn;
mod short;
mod spawn_start;
mod throughput;
mod tick;
mod tree;
mod unbalanced;

use std::fmt;

use serde::Serialize;

use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{self, Caller, ForkJoinProgram};
use crate::sampling::Sampling;

pub(crate) use branching::Branching;
pub(crate) use fib::Fib;
pub(crate) use tree::TreeSum;
pub(crate) use unbalanced::Walk;

/// A table of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TableGroup {
    /// Whole computations that fork and join.
    ForkJoin,
    /// How soon short computations end.
    Latency,
    /// CPU time used beside the work.
    Cpu,
    /// Jobs handed over without waiting for them.
    Jobs,
}

impl TableGroup {
    /// All tables, in order.
    pub(crate) const ALL: [TableGroup; 4] = [
        TableGroup::ForkJoin,
        TableGroup::Latency,
        TableGroup::Cpu,
        TableGroup::Jobs,
    ];
}

impl fmt::Display for TableGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TableGroup::ForkJoin => {
                "Fork and join: time as a ratio to serial (serial itself in ms)"
            }
            TableGroup::Latency => "Latency: time until a short computation is done",
            TableGroup::Cpu => "CPU time: what waiting costs",
            TableGroup::Jobs => "Jobs: handing over work without waiting for it",
        })
    }
}

/// A workload of the matrix.
pub(crate) struct Workload {
    /// The name in filters, tables and JSON.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    measure: fn(&MatrixOptions) -> Vec<MatrixRow>,
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All workloads.
pub(crate) fn all() -> Vec<Workload> {
    let workload = |name, about, measure| Workload {
        name,
        about,
        measure,
    };
    vec![
        workload("fib", "Fibonacci without cut-off", fib::measure),
        workload(
            "tree-1k",
            "sum of a binary tree of 1,023 nodes",
            |options| tree::measure(options, "tree-1k", 10),
        ),
        workload(
            "tree-64k",
            "sum of a binary tree of 65,535 nodes",
            |options| tree::measure(options, "tree-64k", 16),
        ),
        workload(
            "tree-16m",
            "sum of a binary tree of 2^24 − 1 nodes",
            |options| tree::measure(options, "tree-16m", 24),
        ),
        workload(
            "queens",
            "twelve queens, a fork for every placement",
            queens::measure,
        ),
        workload(
            "unbalanced",
            "walk over an uneven tree of 4 M nodes",
            unbalanced::measure,
        ),
        workload(
            "branching",
            "walk over an uneven tree, children split by joins",
            branching::measure,
        ),
        workload(
            "quicksort",
            "quicksort down to single elements",
            quicksort::measure,
        ),
        workload(
            "matmul",
            "matrix product by divide and conquer",
            matmul::measure,
        ),
        workload(
            "leaves-100us",
            "one join of two leaves of 100 µs",
            |options| leaves::measure(options, "leaves-100us", 100.0),
        ),
        workload(
            "leaves-1000us",
            "one join of two leaves of 1,000 µs",
            |options| leaves::measure(options, "leaves-1000us", 1000.0),
        ),
        workload(
            "short",
            "fib of 20 and of 134 µs, already in the pool",
            short::measure,
        ),
        workload(
            "cold",
            "fib of 20 to 500 µs from outside, after 5 ms of idling",
            cold::measure,
        ),
        workload(
            "tick",
            "a small parallel section every millisecond",
            tick::measure,
        ),
        workload("idle", "CPU time of a pool without work", idle::measure),
        workload(
            "scope-spawn",
            "empty spawns into a scope",
            scope_spawn::measure,
        ),
        workload(
            "spawn-start",
            "from an outside spawn to its start",
            spawn_start::measure,
        ),
        workload(
            "throughput",
            "jobs from 1 and 4 outside threads",
            throughput::measure,
        ),
        workload(
            "open-loop",
            "jobs that arrive at 50, 90 and 99 % of capacity",
            open_loop::measure,
        ),
    ]
}

/// Measures what `options` ask for.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    options
        .workloads
        .iter()
        .flat_map(|workload| (workload.measure)(options))
        .collect()
}

/// The rows of a program that is sampled from inside the pool: as a ratio to serial at every
/// number of threads, or, for latencies, in microseconds where there are threads to share with.
fn fork_join<P: ForkJoinProgram>(
    options: &MatrixOptions,
    group: TableGroup,
    workload: &'static str,
    what: &str,
    program: &P,
    plan: Sampling,
) -> Vec<MatrixRow> {
    let (unit, threads): (_, Vec<usize>) = match group {
        TableGroup::ForkJoin => (Unit::RatioToSerial, options.threads.clone()),
        _ => (Unit::Microseconds, options.parallel_threads().collect()),
    };
    let rows = threads.into_iter().flat_map(|threads| {
        let experiment = Experiment::new(options, group, workload, threads, Caller::Joins);
        experiment.rows(&[(what, unit)], |runtime| {
            vec![runtimes::inside(runtime, program, &plan)]
        })
    });
    rows.collect()
}
