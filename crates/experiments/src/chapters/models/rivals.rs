//! The natural process and its rivals on the same jobs.

use filch_theory::rivals::two_choices::MOST_LAMBDA;
use filch_workload::Probability;

use crate::chapters::{Scale, Setting};
use crate::natural::RunLength;
use crate::rivals::{Contender, RivalEstimates, RivalStudy, promised};
use crate::values::{Cell, Claim, Outcome, Table};

const CONTENDERS: [&str; 5] = [
    "natural:half",
    "inverse",
    "factor:2:1",
    "factor:2:4",
    "two-choices",
];

/// Two generators on every other processor.
const HALF: &str = "k:n/2";

/// Where the generators sit, and λ. The first is within the hypotheses of `inverse` and `factor`,
/// the last within those of two choices.
const SETTINGS: [(&str, f64); 5] = [
    (HALF, 0.9),
    ("uniform", 0.9),
    ("zipf:1", 0.9),
    ("one", 0.9),
    ("uniform", 0.06),
];

/// A load does not settle if there are more jobs for each processor.
const MOST_LOAD: u64 = 10_000;
/// What counts as a constant factor: ours, since the sources name none. A larger one decides
/// nothing.
const FACTOR: f64 = 8.0;

/// How much to run.
pub(super) struct RivalPlan {
    processors: usize,
    steps: u64,
    replications: usize,
}

/// One contender in one setting.
struct RivalCell {
    study: RivalStudy,
    contender: Contender,
    found: RivalEstimates,
}

impl RivalPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processors: scale.pick(16, 256, 1024),
            steps: scale.pick(100, 1000, 10_000),
            replications: scale.pick(2, 4, 8),
        }
    }

    pub(super) fn runs(&self) -> usize {
        CONTENDERS.len() * SETTINGS.len()
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Vec<Claim>, Table) {
        let cells = setting.runs(self.runs(), |run| {
            let run = run as usize;
            let (placement, lambda) = SETTINGS[run / CONTENDERS.len()];
            let contender: Contender = CONTENDERS[run % CONTENDERS.len()]
                .parse()
                .expect("a contender");
            let study = RivalStudy {
                processors: self.processors,
                lambda: Probability::new(lambda).expect("a probability"),
                placement: match placement {
                    HALF => format!("k:{}", self.processors / 2).parse(),
                    placement => placement.parse(),
                }
                .expect("a placement"),
                length: RunLength {
                    cut: self.processors as u64 * MOST_LOAD,
                    ..RunLength::of(self.steps)
                },
                replications: self.replications,
                seed: setting.seed,
            };
            let found = study.run_here(&contender);
            RivalCell {
                study,
                contender,
                found,
            }
        });
        let claims = vec![even(&cells), short_waits(&cells)];
        (claims, self.table(&cells))
    }

    fn table(&self, cells: &[RivalCell]) -> Table {
        let real = |value: Option<f64>| value.map_or(Cell::Text("–".to_owned()), Cell::Real);
        let row = |cell: &RivalCell| {
            let found = &cell.found;
            let ends = found.interval.map(|estimate| estimate.interval());
            let promise = promised(&cell.contender, &cell.study, found);
            let label = promise.map_or("–".to_owned(), |promise| {
                let outside = if promise.applies {
                    ""
                } else {
                    ", outside its hypotheses"
                };
                format!("{}{outside}", promise.statement)
            });
            vec![
                cell.study.placement.to_string().into(),
                cell.study.lambda.get().into(),
                cell.contender.to_string().into(),
                found.load.into(),
                real(ends.map(|ends| ends.lo)),
                real(ends.map(|ends| ends.hi)),
                found.longest.into(),
                found.requests.into(),
                found.moved.into(),
                label.into(),
                real(promise.and_then(|promise| promise.least_constant)),
            ]
        };
        Table {
            title: format!(
                "The natural process and its rivals on {} processors, {} runs of {} steps",
                self.processors, self.replications, self.steps
            ),
            columns: vec![
                "generators",
                "λ",
                "process",
                "mean load",
                "95 % from",
                "95 % to",
                "longest queue",
                "requests per processor and step",
                "moves per job",
                "promised up to a constant",
                "least constant",
            ],
            rows: cells.iter().map(row).collect(),
        }
    }
}

/// The theorems of Rudolph et al. and of Lüling and Monien.
fn even(cells: &[RivalCell]) -> Claim {
    let applying = cells.iter().filter_map(|cell| {
        let promise = promised(&cell.contender, &cell.study, &cell.found)?;
        let of_loads = promise.statement.starts_with("largest load");
        (of_loads && promise.applies && cell.found.load > 0.0)
            .then_some(promise.least_constant.unwrap_or(f64::INFINITY))
    });
    let constants: Vec<f64> = applying.collect();
    let most = constants.iter().copied().reduce(f64::max);
    Claim {
        claim: format!(
            "inverse and factor keep expected loads within a constant factor of one another, here \
             {FACTOR}, if loads change by a bounded amount in a step"
        ),
        stated: "Rudolph, Slivkin-Allalouf, Upfal 1991; Lüling, Monien 1993 (as in BFG03, 1.2)",
        checked: format!(
            "{} processes, two generators on each of n/2 processors",
            constants.len()
        ),
        found: most.map_or("nothing".to_owned(), |most| {
            format!("a factor of at most {most:.3}")
        }),
        measured: most,
        bound: Some(FACTOR),
        outcome: Outcome::if_decided(most.filter(|&most| most <= FACTOR).map(|_| true)),
    }
}

/// The theorem of Adler et al.
fn short_waits(cells: &[RivalCell]) -> Claim {
    let constants = cells.iter().filter_map(|cell| {
        let promise = promised(&cell.contender, &cell.study, &cell.found)?;
        (promise.statement.starts_with("wait") && promise.applies)
            .then_some(promise.least_constant?)
    });
    let most = constants.reduce(f64::max);
    Claim {
        claim: format!(
            "with two choices no job is likely to wait more than O(lg lg n) steps if λ ≤ 1/(6e) = \
             {MOST_LAMBDA:.4}; the constant here is 2"
        ),
        stated: "Adler, Berenbrink, Schröder 1998 (abstract)",
        checked: "λ = 0.06, the longest queue of all runs".to_owned(),
        found: most.map_or("nothing".to_owned(), |most| format!("{most:.3}·lg lg n")),
        measured: most,
        bound: Some(2.0),
        outcome: Outcome::if_decided(most.filter(|&most| most <= 2.0).map(|_| true)),
    }
}
