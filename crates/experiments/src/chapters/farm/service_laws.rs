//! Readings of "uniform and lower bounded by 1": what they do to JIQ at 99 %.

use filch_sim::farm::{Batches, Class, Length, Run, Servers, simulate};
use filch_stats::stability::Verdict;

use super::claims::Sentence;
use super::grid::{self, MIXES};
use crate::chapters::Setting;
use crate::dispatch::Estimates;
use crate::values::{Cell, Claim, Outcome, Table};

/// What slow and fast servers complete in a slot, under one reading of PI section 4.1.
struct Reading {
    name: &'static str,
    slow: &'static str,
    fast: &'static str,
}

const READINGS: [Reading; 8] = [
    Reading {
        name: "uniform with means 1 and 10 (this report)",
        slow: "uniform:1",
        fast: "uniform:10",
    },
    Reading {
        name: "constant 1 and 10",
        slow: "constant:1",
        fast: "constant:10",
    },
    Reading {
        name: "uniform with means 2 and 20, so that slow servers vary too",
        slow: "uniform:2",
        fast: "uniform:20",
    },
    Reading {
        name: "uniform on 1 … 2 and on 1 … 20",
        slow: "uniform:1.5",
        fast: "uniform:10.5",
    },
    Reading {
        name: "uniform on 1 … 3 and on 11 … 29, as wide but with a mean of 20",
        slow: "uniform:2",
        fast: "table:11=1,12=1,13=1,14=1,15=1,16=1,17=1,18=1,19=1,20=1,21=1,22=1,23=1,24=1,25=1,26=1,27=1,28=1,29=1",
    },
    Reading {
        name: "1, and uniform on 1 … 10, so that 10 is the most",
        slow: "uniform:1",
        fast: "uniform:5.5",
    },
    Reading {
        name: "uniform on 1 … 2 and on 1 … 29, ten times as much on average",
        slow: "uniform:1.5",
        fast: "uniform:15",
    },
    Reading {
        name: "1, and uniform on 5 … 15",
        slow: "uniform:1",
        fast: "table:5=1,6=1,7=1,8=1,9=1,10=1,11=1,12=1,13=1,14=1,15=1",
    },
];

const LOAD: f64 = 0.99;

/// How many sets of runs there are.
pub(super) const SETS: usize = READINGS.len() * MIXES.len();

fn farm(reading: &Reading, (slow, fast): (usize, usize)) -> Servers {
    let capacity = |name: &str| name.parse().expect("a capacity");
    Servers::of(vec![
        Class::new("slow", slow, capacity(reading.slow)),
        Class::new("fast", fast, capacity(reading.fast)),
    ])
    .expect("there are servers")
}

pub(super) fn write(setting: &Setting<'_>) -> (Claim, Table) {
    let slots = setting.scale.pick(1000, 200_000, 2_000_000);
    // For each set: the verdicts on JIQ, whole then split.
    let verdicts = setting.runs(SETS, |at| {
        let (reading, mix) = (at as usize / MIXES.len(), at as usize % MIXES.len());
        let servers = farm(&READINGS[reading], MIXES[mix]);
        let arrivals = grid::arrivals(&servers, LOAD);
        let runs = Batches::ALL.map(|batches| Run {
            completions: false,
            ..Run::of(grid::named("jiq"), batches, arrivals.clone())
        });
        let length = Length::of(slots);
        let outcomes = simulate(&servers, &runs, length, setting.seed, 0).expect("good policies");
        let verdict = |outcome| Estimates::of(outcome, None).verdict;
        outcomes.iter().map(verdict).collect::<Vec<_>>()
    });
    // In how many mixes JIQ is unstable, and in how many undecided, whole and split.
    let count = |reading: usize, run: usize, verdict: Verdict| {
        let mixes = &verdicts[reading * MIXES.len()..][..MIXES.len()];
        mixes.iter().filter(|seen| seen[run] == verdict).count()
    };
    let jiq = |reading: usize| {
        [0, 1].map(|run| {
            (
                count(reading, run, Verdict::Unstable),
                count(reading, run, Verdict::Undecided),
            )
        })
    };
    // The paper's completion times: 2 of 3 mixes whole, 1 of 3 split.
    let agrees = |reading: usize| {
        let [whole, split] = jiq(reading);
        let agrees = whole.0 == 2 && split.0 == 1;
        let may = (whole.0..=whole.0 + whole.1).contains(&2)
            && (split.0..=split.0 + split.1).contains(&1);
        if agrees && whole.1 + split.1 == 0 {
            Outcome::Holds
        } else if may {
            Outcome::Undecided
        } else {
            Outcome::DoesNotHold
        }
    };
    let outcomes: Vec<Outcome> = (0..READINGS.len()).map(agrees).collect();
    let outcome = if outcomes.contains(&Outcome::Holds) {
        Outcome::Holds
    } else if outcomes.contains(&Outcome::Undecided) {
        Outcome::Undecided
    } else {
        Outcome::DoesNotHold
    };
    let found: Vec<String> = (0..READINGS.len())
        .map(|reading| {
            let [whole, split] = jiq(reading);
            format!("{}: {} and {}", READINGS[reading].name, whole.0, split.0)
        })
        .collect();
    let claim = Sentence {
        claim: "some reading of the service law makes JIQ unstable at 99 % in 2 of 3 mixes with \
                whole batches and in 1 of 3 with split ones",
        stated: "PI sections 4.1, 4.2 and 4.3",
        checked: format!("{} readings, {slots} slots", READINGS.len()),
    }
    .found(
        format!("unstable mixes, whole and split: {}", found.join("; ")),
        f64::NAN,
        f64::NAN,
        outcome,
    );
    let rows = (0..READINGS.len()).flat_map(|reading| {
        let verdicts = &verdicts;
        (0..MIXES.len()).map(move |mix| {
            let mut row: Vec<Cell> = vec![
                READINGS[reading].name.to_owned().into(),
                grid::mix(mix).into(),
            ];
            let seen = &verdicts[reading * MIXES.len() + mix];
            row.extend(seen.iter().map(|verdict| Cell::Text(verdict.to_string())));
            row
        })
    });
    let table = Table {
        title: format!("Readings of the service law: verdicts at 99 % load ({slots} slots)"),
        columns: vec![
            "what slow and fast servers complete in a slot",
            "slow:fast",
            "JIQ, whole",
            "JIQ, split",
        ],
        rows: rows.collect(),
    };
    (claim, table)
}
