//! Interleaved rounds, and the rows they fill.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::args::Run;
use crate::clock;
use crate::report;
use crate::runtimes::{Caller, Kind, Program, Runtime};
use crate::workloads::Group;

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
pub(crate) struct Row {
    /// The table it belongs to.
    pub(crate) group: Group,
    /// The workload's name.
    pub(crate) workload: &'static str,
    /// What of it was measured.
    pub(crate) what: String,
    /// Threads that compute.
    pub(crate) threads: usize,
    /// How the samples read.
    pub(crate) unit: Unit,
    /// The measured runtimes.
    pub(crate) cells: Vec<Cell>,
}

/// The samples of one runtime.
#[derive(Debug, Serialize)]
pub(crate) struct Cell {
    /// Which runtime.
    pub(crate) runtime: Kind,
    /// The smallest sample.
    pub(crate) min: f64,
    /// The middle sample.
    pub(crate) median: f64,
    /// All of them, in the order measured.
    pub(crate) samples: Vec<f64>,
}

impl Cell {
    /// The samples of `runtime`, of which there is at least one.
    pub(crate) fn new(runtime: Kind, samples: Vec<f64>) -> Cell {
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        Cell {
            runtime,
            min: sorted[0],
            median: quantile(&sorted, 0.5),
            samples,
        }
    }
}

/// The smallest element of `sorted` that at least a share `q` of it does not exceed.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// What the rounds of a row have in common.
#[derive(Clone, Debug)]
pub(crate) struct Experiment<'a> {
    /// The request.
    pub(crate) run: &'a Run,
    /// The table the rows belong to.
    pub(crate) group: Group,
    /// The workload's name.
    pub(crate) workload: &'static str,
    /// Threads that compute.
    pub(crate) threads: usize,
    /// Where the work comes from.
    pub(crate) caller: Caller,
    /// Whether the pools of all runtimes exist during all rounds (idle ones asleep), or each only
    /// while it is measured, because the CPU time of the process is part of the result.
    pub(crate) together: bool,
}

impl Experiment<'_> {
    /// Runs the rounds. `round` gives one list of samples for each of `rows`; the first round
    /// warms up and is thrown away.
    pub(crate) fn rows(
        &self,
        rows: &[(&str, Unit)],
        mut round: impl FnMut(&Runtime) -> Vec<Vec<f64>>,
    ) -> Vec<Row> {
        let start = |kind: Kind| Runtime::start(kind, self.threads, self.caller);
        let able = |kind: &Kind| kind.can(self.caller);
        let kinds: Vec<Kind> = self.run.kinds.iter().copied().filter(able).collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        let pools: Vec<Runtime> = if self.together {
            kinds.iter().map(|kind| start(*kind)).collect()
        } else {
            Vec::new()
        };
        let mut samples = vec![vec![Vec::new(); kinds.len()]; rows.len()];
        for number in 0..=self.run.rounds {
            self.tell(number);
            for step in 0..kinds.len() {
                // Another one begins each time, so that nobody always follows the same neighbour.
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
            .map(|((what, unit), samples)| Row {
                group: self.group,
                workload: self.workload,
                what: (*what).to_owned(),
                threads: self.threads,
                unit: *unit,
                cells: kinds
                    .iter()
                    .zip(samples)
                    .map(|(kind, s)| Cell::new(*kind, s))
                    .collect(),
            })
            .collect()
    }

    fn tell(&self, round: usize) {
        let (name, threads, rounds) = (self.workload, self.threads, self.run.rounds);
        match round {
            0 => report::progress(&format!("{name}, {threads} thread(s): warming up")),
            _ => report::progress(&format!(
                "{name}, {threads} thread(s): round {round} of {rounds}"
            )),
        }
    }
}

/// What passes between two samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gap {
    /// Nothing.
    None,
    /// The caller computes so many iterations of [`clock::spin`] alone.
    Alone(u64),
    /// The caller sleeps.
    Sleep(Duration),
    /// The caller sleeps until the next tick of this period.
    Tick(Duration),
}

/// How one round samples a [`Program`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Samples in the round.
    pub(crate) samples: u32,
    /// Runs in a sample, which is their mean.
    pub(crate) repeats: u32,
    /// What passes before each sample.
    pub(crate) gap: Gap,
}

impl Plan {
    /// One sample of `repeats` runs.
    pub(crate) fn mean_of(repeats: u32) -> Plan {
        Plan {
            samples: 1,
            repeats,
            gap: Gap::None,
        }
    }

    /// Nanoseconds per run of `run` on `program`, whose results are verified.
    pub(crate) fn sample<P: Program>(
        &self,
        program: &P,
        mut run: impl FnMut(&P, &mut P::State) -> P::Output,
    ) -> Vec<f64> {
        let begin = Instant::now();
        let sample = |number| {
            match self.gap {
                Gap::None => {}
                Gap::Alone(spins) => _ = black_box(clock::spin(black_box(spins))),
                Gap::Sleep(pause) => std::thread::sleep(pause),
                Gap::Tick(period) => clock::sleep_until(begin + period * number),
            }
            let mut state = program.state();
            let start = Instant::now();
            for _ in 1..self.repeats {
                black_box(run(black_box(program), black_box(&mut state)));
            }
            let output = black_box(run(black_box(program), black_box(&mut state)));
            let elapsed = start.elapsed();
            program.verify(&state, output);
            elapsed.as_nanos() as f64 / f64::from(self.repeats)
        };
        (0..self.samples).map(sample).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_elements() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.5), 2.0);
        assert_eq!(quantile(&sorted, 0.99), 4.0);
        assert_eq!(quantile(&[7.0], 0.5), 7.0);
    }
}
