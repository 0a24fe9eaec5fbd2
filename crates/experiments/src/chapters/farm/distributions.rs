//! Completion times compared as distributions, which is what Figures 1 and 2 show.

use filch_sim::farm::{Batches, FarmOutcome, Length, Run, simulate};
use filch_stats::stability::Verdict;
use filch_stats::{Confidence, replications};

use super::claims::{SPLIT, Sentence, UNSPLIT};
use super::grid::{self, FigureGrid, MIXES, POLICIES};
use crate::chapters::Setting;
use crate::values::{Cell, Claim, Outcome, Table};

/// The slots at which distribution functions are compared.
const POINTS: [u64; 20] = [
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096,
];

/// Moderate and high load.
const LOADS: [f64; 2] = [0.5, 0.99];

/// A difference of distribution functions that a figure would not show.
const VISIBLE: f64 = 0.01;
/// "Competitive": at no point more than a tenth of all jobs later.
const COMPETITIVE: f64 = 0.1;

/// The probability that some interval of one claim misses, if the claim is true.
const ERROR: f64 = 0.01;

/// How many sets of runs there are: each mix, whole and split.
pub(super) const SETS: usize = MIXES.len() * 2;

/// The distribution functions of one run at all points. A job that is not finished at the end has
/// not left in time at any point.
fn distribution(outcome: &FarmOutcome) -> Vec<f64> {
    let counts = outcome.completions.as_ref().map(|done| &done.counts);
    let at = |point: &u64| {
        let done = counts.into_iter().flatten();
        let within = done.filter(|(slots, _)| slots <= point);
        within.map(|(_, jobs)| *jobs).sum::<u64>() as f64 / outcome.jobs.max(1) as f64
    };
    POINTS.iter().map(at).collect()
}

/// All runs of one mix, whole or split: by load, policy, replication and point.
type Runs = Vec<Vec<Vec<Vec<f64>>>>;

/// F_first − F_second at each point: mean and half-width over the replications, for intervals that
/// all hold together with probability 1 − [`ERROR`] in every mix.
fn differences(runs: &Runs, load: usize, first: &str, second: &str) -> Vec<(f64, f64)> {
    let policy = |name: &str| {
        let at = POLICIES.iter().position(|known| *known == name);
        &runs[load][at.expect("one of five")]
    };
    let (first, second) = (policy(first), policy(second));
    let comparisons = (POINTS.len() * MIXES.len()) as f64;
    let level = Confidence::new(1.0 - ERROR / comparisons).expect("a level");
    (0..POINTS.len())
        .map(|point| {
            let pairs = first.iter().zip(second);
            let values: Vec<f64> = pairs.map(|(a, b)| a[point] - b[point]).collect();
            let estimate = replications(&values, level).expect("several runs");
            (estimate.mean, estimate.half_width)
        })
        .collect()
}

/// Whether `first` completes jobs sooner than `second` in distribution: nowhere visibly later, and
/// somewhere sooner.
fn sooner(differences: &[(f64, f64)]) -> Outcome {
    if differences
        .iter()
        .any(|(mean, half)| mean + half < -VISIBLE)
    {
        Outcome::DoesNotHold
    } else if differences
        .iter()
        .all(|(mean, half)| mean - half > -VISIBLE)
        && differences.iter().any(|(mean, half)| mean - half > 0.0)
    {
        Outcome::Holds
    } else {
        Outcome::Undecided
    }
}

/// Whether `first` is nowhere far behind `second`.
fn competitive(differences: &[(f64, f64)]) -> Outcome {
    if differences
        .iter()
        .any(|(mean, half)| mean + half < -COMPETITIVE)
    {
        Outcome::DoesNotHold
    } else if differences
        .iter()
        .all(|(mean, half)| mean - half >= -COMPETITIVE)
    {
        Outcome::Holds
    } else {
        Outcome::Undecided
    }
}

pub(super) fn write(setting: &Setting<'_>, grid: &FigureGrid) -> (Vec<Claim>, Table) {
    let slots = setting.scale.pick(500, 15_000, 100_000);
    let count = setting.scale.pick(3, 6, 16);
    let runs: Vec<Runs> = setting.runs(SETS, |set| {
        let (mix, batches) = (
            set as usize % MIXES.len(),
            Batches::ALL[set as usize / MIXES.len()],
        );
        let (slow, fast) = MIXES[mix];
        let servers = grid::farm(slow, fast, 10.0);
        let mut all: Runs = vec![vec![Vec::new(); POLICIES.len()]; LOADS.len()];
        for replication in 0..count {
            let runs: Vec<Run> = LOADS
                .iter()
                .flat_map(|&load| {
                    let arrivals = grid::arrivals(&servers, load);
                    POLICIES.map(|name| Run::of(grid::named(name), batches, arrivals.clone()))
                })
                .collect();
            let length = Length::of(slots);
            let outcomes = simulate(&servers, &runs, length, setting.seed, 1000 + replication);
            for (at, outcome) in outcomes.expect("good policies").iter().enumerate() {
                let (load, policy) = (at / POLICIES.len(), at % POLICIES.len());
                all[load][policy].push(distribution(outcome));
            }
        }
        all
    });
    let mut claims = Vec::new();
    for (at, batches) in Batches::ALL.into_iter().enumerate() {
        let mixes = &runs[at * MIXES.len()..][..MIXES.len()];
        let stated = [UNSPLIT, SPLIT][at];
        let checked = format!(
            "distribution functions at {} points up to {} slots, batches {batches}, {count} \
             independent runs of {slots} slots from empty in each mix, paired; intervals that all \
             hold together with 99 %",
            POINTS.len(),
            POINTS[POINTS.len() - 1]
        );
        let judge =
            |load: usize, first: &str, rivals: &[&str], test: fn(&[(f64, f64)]) -> Outcome| {
                let mut outcomes = Vec::new();
                let mut worst = (f64::INFINITY, String::new());
                let mut left_out = Vec::new();
                for (mix, runs) in mixes.iter().enumerate() {
                    for rival in rivals {
                        let at = grid.at(mix, LOADS[load], batches);
                        if grid.run(at, rival).estimates.verdict == Verdict::Unstable {
                            left_out.push(format!("{rival} at {}", grid::mix(mix)));
                            continue;
                        }
                        let differences = differences(runs, load, first, rival);
                        outcomes.push(test(&differences));
                        let least = differences.iter().map(|(mean, _)| *mean);
                        let least = least.fold(f64::INFINITY, f64::min);
                        if least < worst.0 {
                            worst = (least, format!("{rival} at {}", grid::mix(mix)));
                        }
                    }
                }
                let mut found = format!("least difference {:.3} ({})", worst.0, worst.1);
                if !left_out.is_empty() {
                    let left_out = left_out.join(", ");
                    found += &format!("; left out, being unstable: {left_out}");
                }
                (Outcome::of_all(outcomes), found, worst.0)
            };
        let mut claim = |claim, (outcome, found, least): (Outcome, String, f64), bound: f64| {
            let sentence = Sentence {
                claim,
                stated,
                checked: checked.clone(),
            };
            claims.push(sentence.found(found, least, bound, outcome));
        };
        claim(
            "at 50 % the completion times under PI are competitive to those under JSQ, in \
             distribution",
            judge(0, "pi", &["jsq"], competitive),
            -COMPETITIVE,
        );
        claim(
            "at 50 % the completion times under JIQ are competitive to those under JSQ, in \
             distribution",
            judge(0, "jiq", &["jsq"], competitive),
            -COMPETITIVE,
        );
        claim(
            "at 50 % jobs leave later under JSQ(2) and JSQ(1,1) than under PI, in distribution",
            judge(0, "pi", &["jsq:2", "jsq:1:1"], sooner),
            -VISIBLE,
        );
        claim(
            "at 99 % jobs leave sooner under PI than under JIQ, JSQ(2) and JSQ(1,1), in \
             distribution",
            judge(1, "pi", &["jiq", "jsq:2", "jsq:1:1"], sooner),
            -VISIBLE,
        );
    }
    let rows = runs.iter().enumerate().flat_map(|(set, runs)| {
        let (mix, batches) = (set % MIXES.len(), Batches::ALL[set / MIXES.len()]);
        LOADS.iter().enumerate().flat_map(move |(load, share)| {
            ["jsq", "jiq", "jsq:2", "jsq:1:1"].map(|rival| {
                let differences = differences(runs, load, "pi", rival);
                let extreme = |sign: f64| {
                    let points = differences.iter().zip(POINTS);
                    let most = points.max_by(|a, b| (sign * a.0.0).total_cmp(&(sign * b.0.0)));
                    most.map_or((0.0, 0), |((mean, _), point)| (*mean, point))
                };
                let (ahead, behind) = (extreme(1.0), extreme(-1.0));
                vec![
                    Cell::Text(grid::mix(mix)),
                    batches.to_string().into(),
                    (*share).into(),
                    rival.to_owned().into(),
                    ahead.0.into(),
                    ahead.1.into(),
                    behind.0.into(),
                    behind.1.into(),
                    sooner(&differences).name().to_owned().into(),
                ]
            })
        })
    });
    let table = Table {
        title: "Completion times as distributions: F under PI minus F under another policy"
            .to_owned(),
        columns: vec![
            "slow:fast",
            "batches",
            "load",
            "policy",
            "largest",
            "at slot",
            "smallest",
            "at slot",
            "sooner under PI",
        ],
        rows: rows.collect(),
    };
    (claims, table)
}
