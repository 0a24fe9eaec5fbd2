//! Batches of other laws than Poisson, and other rules for splitting: Theorems 3.2 and 3.4.

use filch_sim::farm::{Batches, Servers};
use filch_stats::stability::Verdict;
use filch_workload::Arrive;
use rand::{Rng, RngExt};

use super::claims::Sentence;
use super::grid;
use super::looks::{ERROR, until_decided};
use crate::chapters::Setting;
use crate::chapters::significance::allowed_errors;
use crate::values::{Cell, Claim, Outcome, Table};

/// Farms of ten servers, which settle sooner than those of a hundred.
const MIXES: [(usize, usize); 3] = [(1, 9), (5, 5), (9, 1)];

/// The replications of the other runs have lower numbers.
const FIRST: u64 = 1 << 20;

/// Independent batches of one law, with the mean that a load asks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum BatchLaw {
    /// k jobs with probability (1 − q)q^k.
    Geometric { q: f64 },
    /// So many jobs, or none.
    Burst { jobs: u32, chance: f64 },
    /// One job, or a burst, or none: heavy and light traffic mixed.
    Mixed { single: f64, jobs: u32, burst: f64 },
}

impl BatchLaw {
    const NAMES: [&'static str; 3] = ["geometric", "bursts", "single jobs and bursts"];

    /// The law with this number and this mean.
    fn of(number: usize, mean: f64) -> Self {
        match number {
            0 => Self::Geometric {
                q: mean / (1.0 + mean),
            },
            1 => {
                let jobs = (5.0 * mean).ceil();
                Self::Burst {
                    jobs: jobs as u32,
                    chance: mean / jobs,
                }
            }
            _ => {
                let jobs = (4.0 * mean).ceil();
                Self::Mixed {
                    single: 0.4,
                    jobs: jobs as u32,
                    burst: (mean - 0.4) / jobs,
                }
            }
        }
    }
}

impl Arrive for BatchLaw {
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        let uniform: f64 = rng.random();
        match *self {
            Self::Geometric { q } => ((1.0 - uniform).ln() / q.ln()) as u32,
            Self::Burst { jobs, chance } => {
                if uniform < chance {
                    jobs
                } else {
                    0
                }
            }
            Self::Mixed {
                single,
                jobs,
                burst,
            } => {
                if uniform < burst {
                    jobs
                } else {
                    u32::from(uniform < burst + single)
                }
            }
        }
    }
}

/// PI whole, then PI-Split by each rule that has a name.
const RULES: [(&str, Batches); 5] = [
    ("pi", Batches::Whole),
    ("pi", Batches::Split),
    ("idle-one(last)", Batches::Split),
    ("idle-scatter(last)", Batches::Split),
    ("idle-speed(last)", Batches::Split),
];

fn loads(setting: &Setting<'_>) -> &'static [f64] {
    setting
        .scale
        .pick(&[0.5][..], &[0.5, 0.9], &[0.5, 0.8, 0.9, 0.95, 0.99])
}

/// How many sets of runs there are.
pub(super) fn sets(setting: &Setting<'_>) -> usize {
    MIXES.len() * loads(setting).len() * BatchLaw::NAMES.len()
}

pub(super) fn write(setting: &Setting<'_>) -> (Vec<Claim>, Table) {
    let slots = setting.scale.pick(1000, 50_000, 500_000);
    let farms = MIXES.map(|(slow, fast)| grid::farm(slow, fast, 10.0));
    let laws = BatchLaw::NAMES.len();
    let runs = setting.runs(sets(setting), |at| {
        let (law, rest) = (at as usize % laws, at as usize / laws);
        let (mix, load) = (rest % MIXES.len(), loads(setting)[rest / MIXES.len()]);
        let servers: &Servers = &farms[mix];
        let arrivals = BatchLaw::of(law, load * servers.total_capacity());
        let estimates = RULES.map(|(policy, batches)| {
            let policy = (grid::named(policy), batches);
            let streams = (setting.seed, FIRST + 8 * at);
            until_decided(servers, policy, arrivals, slots, streams)
        });
        (law, mix, load, estimates)
    });
    let claim = |claim, stated, rules: std::ops::Range<usize>, what: &str| {
        let verdicts: Vec<Verdict> = runs
            .iter()
            .flat_map(|run| run.3[rules.clone()].iter().map(|run| run.verdict))
            .collect();
        let count = |verdict| verdicts.iter().filter(|seen| **seen == verdict).count();
        let (stable, unstable) = (count(Verdict::Stable), count(Verdict::Unstable));
        let allowed = allowed_errors(verdicts.len() as u64, ERROR);
        let outcome = if unstable as u64 > allowed {
            Outcome::DoesNotHold
        } else if stable + unstable < verdicts.len() {
            Outcome::Undecided
        } else {
            Outcome::Holds
        };
        Sentence {
            claim,
            stated,
            checked: format!(
                "geometric batches, bursts, and both mixed with single jobs; loads up to {:.0} %, \
                 slow:fast 1:9, 5:5 and 9:1, {slots} slots or up to four times as many; {what}",
                100.0 * loads(setting).last().copied().unwrap_or(0.0)
            ),
        }
        .found(
            format!(
                "{stable} stable, {} undecided, {unstable} unstable (at most {allowed} allowed)",
                verdicts.len() - stable - unstable
            ),
            unstable as f64,
            allowed as f64,
            outcome,
        )
    };
    let claims = vec![
        claim(
            "PI is stable for every law of the batches with λ < Σ μ_i",
            "PI Theorem 3.2",
            0..1,
            "whole batches",
        ),
        claim(
            "PI-Split is stable for every law of the batches and every rule for splitting",
            "PI Theorem 3.4, equation 7",
            1..RULES.len(),
            "evenly, one server, each job by chance, by speed",
        ),
    ];
    let rows = runs.iter().flat_map(|(law, mix, load, estimates)| {
        estimates.iter().zip(RULES).map(|(run, (policy, batches))| {
            vec![
                Cell::Text(BatchLaw::NAMES[*law].to_owned()),
                format!("{}:{}", MIXES[*mix].0, MIXES[*mix].1).into(),
                (*load).into(),
                policy.to_owned().into(),
                batches.to_string().into(),
                run.verdict.to_string().into(),
                run.mean_queue.into(),
            ]
        })
    });
    let table = Table {
        title: format!(
            "PI under other batches and other rules for splitting ({slots} slots or more)"
        ),
        columns: vec![
            "batches",
            "slow:fast",
            "load",
            "policy",
            "whole or split",
            "verdict",
            "average queue",
        ],
        rows: rows.collect(),
    };
    (claims, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// The laws have the mean that they are asked for: within five standard errors.
    #[test]
    fn means() {
        for number in 0..3 {
            let mut law = BatchLaw::of(number, 50.0);
            let mut rng = Seed::new(1).stream(Purpose::named("tests"), number as u64, 0);
            let batches: Vec<f64> = (0..200_000)
                .map(|_| f64::from(law.next_batch(&mut rng)))
                .collect();
            let mean = batches.iter().sum::<f64>() / 2e5;
            let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / 2e5;
            let error = (variance / 2e5).sqrt();
            assert!(
                (mean - 50.0).abs() < 5.0 * error,
                "{law:?}: {mean} ± {error}"
            );
        }
    }
}
