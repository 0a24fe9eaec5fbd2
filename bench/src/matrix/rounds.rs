//! Interleaved rounds, and the rows they fill.

use serde::Serialize;

use super::args::MatrixOptions;
use crate::output::progress;
use crate::runtimes::{Caller, Runtime, RuntimeKind};
use crate::sampling::Samples;
use crate::workloads::TableGroup;

/// How the samples of a row read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Unit {
    /// Nanoseconds, printed as a multiple of the serial program's.
    #[serde(rename = "ns, printed as a ratio to serial")]
    RatioToSerial,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Nanoseconds, printed as microseconds.
    #[serde(rename = "ns, printed as µs")]
    Microseconds,
    /// CPU-seconds per second of wall time.
    #[serde(rename = "CPU-s per s")]
    CpuShare,
}

/// One line of a table: the same measurement of every runtime that can express it.
#[derive(Debug, Serialize)]
pub(crate) struct MatrixRow {
    /// The table it belongs to.
    pub(crate) group: TableGroup,
    /// The workload's name.
    pub(crate) workload: &'static str,
    /// What of it was measured.
    pub(crate) what: String,
    /// Threads that compute.
    pub(crate) threads: usize,
    /// How the samples read.
    pub(crate) unit: Unit,
    /// The measured runtimes.
    pub(crate) cells: Vec<Samples>,
}

/// What the rounds of a row have in common.
#[derive(Clone, Debug)]
pub(crate) struct Experiment<'a> {
    options: &'a MatrixOptions,
    group: TableGroup,
    workload: &'static str,
    threads: usize,
    caller: Caller,
}

impl<'a> Experiment<'a> {
    /// The rows of `workload` in the table `group`, on `threads` computing threads. The work comes
    /// from `caller`.
    pub(crate) fn new(
        options: &'a MatrixOptions,
        group: TableGroup,
        workload: &'static str,
        threads: usize,
        caller: Caller,
    ) -> Self {
        Self {
            options,
            group,
            workload,
            threads,
            caller,
        }
    }

    /// Whether the pools of all runtimes exist during all rounds, the idle ones asleep. Where the
    /// CPU time of the process is part of the result, a pool exists only while it is measured.
    fn are_pools_kept(&self) -> bool {
        self.group != TableGroup::Cpu
    }

    /// Runs the rounds. `round` gives one list of samples for each of `rows`; the first round
    /// warms up and is thrown away.
    pub(crate) fn rows(
        &self,
        rows: &[(&str, Unit)],
        mut round: impl FnMut(&Runtime) -> Vec<Vec<f64>>,
    ) -> Vec<MatrixRow> {
        let start = |kind: RuntimeKind| Runtime::start(kind, self.threads, self.caller);
        let able = |kind: &RuntimeKind| kind.can(self.caller);
        let kinds: Vec<RuntimeKind> = self.options.kinds.iter().copied().filter(able).collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        let pools: Vec<Runtime> = if self.are_pools_kept() {
            kinds.iter().map(|kind| start(*kind)).collect()
        } else {
            Vec::new()
        };
        let mut samples = vec![vec![Vec::new(); kinds.len()]; rows.len()];
        for number in 0..=self.options.rounds {
            self.tell(number);
            for step in 0..kinds.len() {
                // Another runtime begins each time, so that none always follows the same neighbour.
                let index = (step + number) % kinds.len();
                let results = match pools.get(index) {
                    Some(pool) => round(pool),
                    None => round(&start(kinds[index])),
                };
                if number > 0 {
                    for (row, result) in samples.iter_mut().zip(results) {
                        row[index].extend(result);
                    }
                }
            }
        }
        rows.iter()
            .zip(samples)
            .map(|((what, unit), samples)| MatrixRow {
                group: self.group,
                workload: self.workload,
                what: (*what).to_owned(),
                threads: self.threads,
                unit: *unit,
                cells: kinds
                    .iter()
                    .zip(samples)
                    .map(|(kind, s)| Samples::new(*kind, s))
                    .collect(),
            })
            .collect()
    }

    fn tell(&self, round: usize) {
        let (name, threads, rounds) = (self.workload, self.threads, self.options.rounds);
        match round {
            0 => progress(&format!("{name}, {threads} thread(s): warming up")),
            _ => progress(&format!(
                "{name}, {threads} thread(s): round {round} of {rounds}"
            )),
        }
    }
}
