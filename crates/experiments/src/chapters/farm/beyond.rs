//! Policies that are not in the paper, compared with PI and JSQ.

use filch_sim::farm::{Batches, Length, Run};
use filch_stats::stability::Verdict;

use super::grid::{self, MIXES};
use crate::chapters::Setting;
use crate::dispatch::{Estimates, Simulation, portion, portions};
use crate::values::{Cell, Table};

/// PI and JSQ, then the policies that are not in the paper.
const POLICIES: [&str; 6] = [
    "pi",
    "jsq",
    "idle(jsq:2)",
    "idle(sed)",
    "idle-fastest(sed)",
    "sed",
];
/// How many of them are in the paper.
const KNOWN: usize = 2;

fn loads(setting: &Setting<'_>) -> &'static [f64] {
    setting
        .scale
        .pick(&[0.9][..], &[0.5, 0.9, 0.99], &[0.5, 0.8, 0.9, 0.95, 0.99])
}

/// How many portions of runs [`table`] makes.
pub(super) fn portion_count(setting: &Setting<'_>) -> usize {
    MIXES.len() * Batches::ALL.len() * loads(setting).len()
}

pub(super) fn table(setting: &Setting<'_>) -> Table {
    let farms = MIXES.map(|(slow, fast)| grid::farm(slow, fast, 10.0));
    let slots = setting.scale.pick(500, 30_000, 200_000);
    let mut simulations = Vec::new();
    let mut names = Vec::new();
    for batches in Batches::ALL {
        for (mix, servers) in farms.iter().enumerate() {
            for &load in loads(setting) {
                names.push((batches, mix, load));
                simulations.extend(POLICIES.map(|policy| {
                    let arrivals = grid::arrivals(servers, load);
                    let run = Run::of(grid::named(policy), batches, arrivals);
                    Simulation { servers, run }
                }));
            }
        }
    }
    let portions = portions(&simulations, POLICIES.len());
    let rows = setting.runs(portions.len(), |at| {
        let at = at as usize;
        let simulations = &simulations[portions[at].clone()];
        let outcomes = portion(simulations, Length::of(slots), setting.seed, |_| ());
        let outcomes = outcomes.expect("good policies");
        let runs: Vec<_> = outcomes
            .iter()
            .map(|outcome| Estimates::of(outcome, None))
            .collect();
        let (batches, mix, load) = names[at];
        let place = format!("{}, {batches}, {load}", grid::mix(mix));
        let rows = runs
            .iter()
            .enumerate()
            .map(|(policy, run)| row(&place, policy, run, &runs[0]));
        rows.collect::<Vec<_>>()
    });
    Table {
        title: format!("Policies beyond the paper, compared with PI and JSQ ({slots} slots)"),
        columns: vec![
            "slow:fast, batches, load",
            "policy",
            "verdict",
            "average queue",
            "± 95 %",
            "difference from PI, paired",
            "± 95 %",
            "completion time, mean",
            "p99",
            "messages per slot",
        ],
        rows: rows.into_iter().flatten().collect(),
    }
}

fn row(place: &str, policy: usize, run: &Estimates, pi: &Estimates) -> Vec<Cell> {
    let dash = || Cell::from("–".to_owned());
    let number = |number: Option<f64>| number.map_or_else(dash, Cell::from);
    let name = if policy < KNOWN {
        POLICIES[policy].to_owned()
    } else {
        format!("{} (beyond the paper)", POLICIES[policy])
    };
    let difference = run
        .minus(pi)
        .filter(|_| policy > 0)
        .map(|means| means.estimate);
    let times = run
        .completion
        .as_ref()
        .filter(|_| run.verdict != Verdict::Unstable);
    vec![
        place.to_owned().into(),
        name.into(),
        run.verdict.to_string().into(),
        run.mean_queue.into(),
        number(run.interval.map(|[low, high]| (high - low) / 2.0)),
        number(difference.map(|difference| difference.mean)),
        number(difference.map(|difference| difference.half_width)),
        number(times.and_then(|times| times.mean())),
        number(
            times
                .and_then(|times| times.quantile(0.99))
                .map(|slots| slots as f64),
        ),
        run.messages_per_slot.into(),
    ]
}
