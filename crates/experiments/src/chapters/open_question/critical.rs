//! Which constant steal amounts are stable: bisection on the verdict.

use filch_policy::steal::StealFunction;
use filch_stats::stability::Verdict;
use filch_theory::natural::{Constants, observation4, theorem22};

use super::brackets::{between, plot, saturated, table};
use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled, throughput};
use crate::values::{Claim, Plot, Table};

/// The cases to bracket: processors, hosts and λ.
pub(super) struct ConstantSearch {
    cases: Vec<(usize, usize, f64)>,
    effort: Effort,
}

/// The constants between which stability begins.
pub(super) struct Bracket {
    pub(super) processors: usize,
    pub(super) hosts: usize,
    pub(super) lambda: f64,
    /// The least constant that is not unstable by Theorem 22.
    pub(super) line: u64,
    /// The largest constant with the verdict unstable.
    pub(super) unstable: u64,
    /// The least constant with the verdict stable.
    pub(super) stable: Option<u64>,
    /// The least constant with a saturation throughput above λn.
    pub(super) saturation: u64,
    /// The decimal logarithm of the constant that is sufficient by Observation 4.
    pub(super) sufficient: Option<f64>,
}

/// The cells of the grid have lower numbers.
const FIRST_CELL: u64 = 1 << 30;

impl ConstantSearch {
    pub(super) fn of(scale: Scale) -> Self {
        let sizes: &[usize] = scale.pick(&[16], &[16, 64, 256], &[16, 64, 256, 1024]);
        let rates: &[f64] = scale.pick(&[0.8], &[0.5, 0.9], &[0.2, 0.5, 0.8, 0.9, 0.95]);
        let mut cases = Vec::new();
        for hosts in [1, 4] {
            for &lambda in rates {
                cases.extend(sizes.iter().map(|&n| (n, hosts, lambda)));
            }
        }
        Self {
            cases,
            effort: Effort {
                replications: scale.pick(2, 4, 4),
                most: scale.pick(1_000_000, 60_000_000, 200_000_000),
            },
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.cases.len()
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Vec<Claim>, Table, Plot) {
        let brackets = setting.runs(self.cases.len(), |case| self.bracket(setting, case));
        let claims = vec![between(&brackets), saturated(&brackets)];
        (claims, table(&brackets), plot(&brackets))
    }

    fn bracket(&self, setting: &Setting<'_>, case: u64) -> Bracket {
        let (processors, hosts, lambda) = self.cases[case as usize];
        let line = theorem22::line(processors as u64, lambda, hosts as u64);
        let verdict = |jobs: u64| {
            let process = constant(processors, hosts, lambda, jobs);
            // Common random numbers: all constants use the same streams.
            let settled = Settled::find(&process, self.effort, setting.seed, FIRST_CELL + case);
            settled.conclusion.verdict
        };
        // Constants below the line are unstable by Theorem 22.
        let mut unstable = line.saturating_sub(1);
        let mut stable = None;
        let mut next = (2 * line).max(1);
        loop {
            match verdict(next) {
                Verdict::Stable => stable = Some(next),
                Verdict::Unstable => unstable = next,
                // Too close to the critical constant for a verdict.
                Verdict::Undecided if stable.is_some() => break,
                Verdict::Undecided => {}
            }
            match stable {
                Some(stable) if stable - unstable <= (unstable / 16).max(1) => break,
                Some(stable) => next = unstable + (stable - unstable) / 2,
                None if next > 32 * (line + 1) => break,
                None => next *= 2,
            }
        }
        let constants = Constants::new(processors as u64, lambda, Process::C).ok();
        Bracket {
            processors,
            hosts,
            lambda,
            line,
            unstable,
            stable,
            saturation: saturation(processors, hosts, lambda, setting),
            sufficient: constants
                .and_then(|constants| observation4::cap(&constants, &StealFunction::HALF).ok())
                .and_then(|cap| cap.log10()),
        }
    }
}

fn constant(processors: usize, hosts: usize, lambda: f64, jobs: u64) -> Process {
    Process::named(
        processors,
        lambda,
        &format!("const:{jobs}"),
        &format!("k:{hosts}"),
    )
}

/// The least constant with a saturation throughput above λn, by doubling and bisection on common
/// random numbers.
fn saturation(processors: usize, hosts: usize, lambda: f64, setting: &Setting<'_>) -> u64 {
    let steps = setting.scale.pick(2000, 20_000, 100_000);
    let enough = |jobs: u64| {
        let f = StealFunction::HALF.capped(jobs);
        let done = throughput(processors, hosts, f, steps, setting.seed, 0);
        done > lambda * processors as f64
    };
    let mut most = 1;
    while !enough(most) {
        most *= 2;
    }
    let mut least = most / 2;
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if enough(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    most
}
