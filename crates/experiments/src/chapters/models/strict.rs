//! Computations whose threads join with their k-th ancestors.

use filch_sim::machine::{Machine, Scheduler};
use filch_theory::machine::k_strict;
use filch_workload::dag::Family;

use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;
use crate::values::{Claim, Outcome, Table};

const KS: [u64; 4] = [1, 2, 4, 8];
const PROCESSORS: [usize; 3] = [4, 16, 64];
/// What counts as within the bound: ours, since the abstract names no constant. A larger one
/// decides nothing.
const CONSTANT: f64 = 2.0;

/// How much to run.
pub(super) struct StrictPlan {
    depth: u32,
    repetitions: u64,
}

/// One computation on so many processors.
struct StrictCell {
    k: u64,
    processors: usize,
    work: u64,
    span: u64,
    time: f64,
    constant: f64,
    /// The largest space over S1·P.
    space: f64,
}

impl StrictPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            depth: scale.pick(8, 10, 12),
            repetitions: scale.pick(2, 10, 100),
        }
    }

    pub(super) fn runs(&self) -> usize {
        KS.len() * PROCESSORS.len()
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Claim, Table) {
        let cells = setting.runs(self.runs(), |run| {
            let k = KS[run as usize / PROCESSORS.len()];
            self.cell(setting, k, PROCESSORS[run as usize % PROCESSORS.len()])
        });
        let most = cells.iter().map(|cell| cell.constant).reduce(f64::max);
        let claim = Claim {
            claim: format!(
                "a k-strict computation takes O(T1/P + k·Tinf) steps by work stealing, here with a \
                 constant of at most {CONSTANT}"
            ),
            stated: "Fatourou, Spirakis 2000 (abstract), for their algorithm; here BL99's rules",
            checked: format!("{} settings, {} runs each", cells.len(), self.repetitions),
            found: most.map_or("nothing".to_owned(), |most| {
                format!("at most T1/P + {most:.3}·k·Tinf")
            }),
            measured: most,
            bound: Some(CONSTANT),
            outcome: Outcome::if_decided(most.filter(|&most| most <= CONSTANT).map(|_| true)),
        };
        (claim, self.table(&cells))
    }

    fn cell(&self, setting: &Setting<'_>, k: u64, processors: usize) -> StrictCell {
        let name = format!("kstrict:{k}:{}:4", self.depth);
        let family: Family = name.parse().expect("a family");
        let (computation, measures) = (family.computation(), family.measures());
        let machine = Machine::new(Scheduler::Stealing, processors);
        let outcomes: Vec<_> = (0..self.repetitions)
            .map(|run| machine.run(&computation, setting.seed, run))
            .collect();
        let longest = outcomes
            .iter()
            .map(|outcome| outcome.time)
            .max()
            .unwrap_or(0);
        let peak = outcomes
            .iter()
            .map(|outcome| outcome.peak_space)
            .max()
            .unwrap_or(0);
        let total: u64 = outcomes.iter().map(|outcome| outcome.time).sum();
        let given = hypotheses(&measures, processors);
        StrictCell {
            k,
            processors,
            work: measures.work,
            span: measures.span,
            time: total as f64 / outcomes.len() as f64,
            constant: k_strict::least_constant(&given, k, longest as f64),
            space: peak as f64 / (measures.stack_depth as f64 * processors as f64),
        }
    }

    fn table(&self, cells: &[StrictCell]) -> Table {
        let row = |cell: &StrictCell| {
            vec![
                cell.k.into(),
                (cell.processors as u64).into(),
                cell.work.into(),
                cell.span.into(),
                cell.time.into(),
                cell.constant.into(),
                cell.space.into(),
            ]
        };
        Table {
            title: format!(
                "Trees of depth {} whose threads join with their k-th ancestors, by stealing; fully \
                 strict for k = 1",
                self.depth
            ),
            columns: vec![
                "k",
                "P",
                "T1",
                "Tinf",
                "mean time",
                "least c with time ≤ T1/P + c·k·Tinf",
                "peak space / S1·P",
            ],
            rows: cells.iter().map(row).collect(),
        }
    }
}
