//! The grid of processes: processors, rates, steal functions and placements.

use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled};

/// The processes to measure, and how much may be spent on each.
pub(super) struct LoadGrid {
    processes: Vec<Process>,
    pub(super) effort: Effort,
}

/// A process, its runs, and its bound.
pub(super) struct MeasuredProcess {
    pub(super) process: Process,
    pub(super) settled: Settled,
    /// The decimal logarithm of Theorem 12's bound on the mean load.
    pub(super) bound: Option<f64>,
}

const PLACEMENTS: [&str; 5] = ["one", "k:4", "uniform", "rotate", "zipf:1"];
const FUNCTIONS: [&str; 7] = [
    "half",
    "fraction:8",
    "sqrt",
    "log2",
    "one",
    "const:64",
    "min(half,64)",
];

/// Beyond so many processors only rates up to [`LARGE_RATE`] are run: the others take longer to
/// settle than is affordable.
const LARGE: usize = 16_384;
const LARGE_RATE: f64 = 0.9;

impl LoadGrid {
    pub(super) fn of(scale: Scale) -> Self {
        let sizes: &[usize] = scale.pick(
            &[4, 16, 64],
            &[4, 16, 64, 256, 1024, 4096],
            &[4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144],
        );
        let rates: &[f64] = scale.pick(
            &[0.5, 0.8],
            &[0.5, 0.8, 0.9, 0.95],
            &[0.5, 0.8, 0.9, 0.95, 0.98, 0.99],
        );
        let mut processes = Vec::new();
        for placement in PLACEMENTS {
            for &n in sizes {
                let most = if n > LARGE { LARGE_RATE } else { 1.0 };
                let rates = rates.iter().filter(|rate| **rate <= most);
                processes.extend(rates.map(|&rate| Process::named(n, rate, "half", placement)));
            }
        }
        // All functions with all placements, at fewer sizes and rates.
        let sizes: &[usize] = scale.pick(&[16], &[64], &[16, 64, 256, 1024, 4096]);
        let rates: &[f64] = scale.pick(&[0.5], &[0.5, 0.9], &[0.5, 0.9, 0.99]);
        for steal in &FUNCTIONS[1..] {
            for placement in PLACEMENTS {
                for &n in sizes {
                    processes.extend(
                        rates
                            .iter()
                            .map(|&rate| Process::named(n, rate, steal, placement)),
                    );
                }
            }
        }
        Self {
            processes,
            effort: Effort {
                replications: scale.pick(4, 8, 8),
                most: scale.pick(1_000_000, 100_000_000, 300_000_000),
            },
        }
    }

    /// The number of processes.
    pub(super) fn cells(&self) -> usize {
        self.processes.len()
    }

    pub(super) fn measure(&self, setting: &Setting<'_>) -> Vec<MeasuredProcess> {
        setting.runs(self.processes.len(), |cell| {
            let process = self.processes[cell as usize];
            MeasuredProcess {
                process,
                settled: Settled::find(&process, self.effort, setting.seed, cell),
                bound: process.bounds().and_then(|bounds| bounds.mean.log10()),
            }
        })
    }
}
