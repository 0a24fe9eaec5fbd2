//! What `filch rivals` prints.

use std::fmt::Write as _;

use filch_experiments::rivals::{Contender, RivalEstimates, RivalStudy, promised};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use serde::Serialize;

use crate::output::count;

/// The answer as it is written to JSON.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    processors: usize,
    lambda: f64,
    generators: String,
    steps: u64,
    warmup: u64,
    replications: usize,
    seed: u64,
    contenders: Vec<Row>,
}

/// What became of one contender.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    contender: String,
    mean_load_per_processor: f64,
    ci95: Option<[f64; 2]>,
    longest_queue: u64,
    requests_per_processor_and_step: f64,
    moves_per_job: f64,
    /// The largest and the smallest mean load of a processor.
    largest_mean_load: f64,
    smallest_mean_load: f64,
    /// Runs that were ended because the load grew without bound.
    cut_runs: usize,
    /// What its paper promises, with the least constant for these runs.
    promise: Option<Promise>,
}

#[derive(Debug, Serialize)]
struct Promise {
    statement: &'static str,
    least_constant: Option<f64>,
    /// Whether the setting is within its hypotheses.
    applies: bool,
}

impl Row {
    pub(super) fn new(contender: &Contender, study: &RivalStudy, found: &RivalEstimates) -> Self {
        let promise = promised(contender, study, found);
        Self {
            contender: contender.to_string(),
            mean_load_per_processor: found.load,
            ci95: found.interval.map(|estimate| {
                let interval = estimate.interval();
                [interval.lo, interval.hi]
            }),
            longest_queue: found.longest,
            requests_per_processor_and_step: found.requests,
            moves_per_job: found.moved,
            largest_mean_load: found.extremes[0],
            smallest_mean_load: found.extremes[1],
            cut_runs: found.cut,
            promise: promise.map(|promise| Promise {
                statement: promise.statement,
                least_constant: promise.least_constant,
                applies: promise.applies,
            }),
        }
    }

    fn cells(&self) -> [String; 7] {
        let load = match self.cut_runs {
            0 => decimals(self.mean_load_per_processor, 4),
            runs => format!("{} (ended)", count(runs as u64, "run")),
        };
        let interval = self.ci95.map_or("–".to_owned(), |[lo, hi]| {
            format!("{} … {}", decimals(lo, 4), decimals(hi, 4))
        });
        let promise = self.promise.as_ref().map_or("–".to_owned(), |promise| {
            let constant = promise.least_constant;
            let constant = constant.map_or("–".to_owned(), |value| decimals(value, 3));
            let outside = if promise.applies {
                ""
            } else {
                " (outside its hypotheses)"
            };
            format!("{} × {constant}{outside}", promise.statement)
        });
        [
            self.contender.clone(),
            load,
            interval,
            self.longest_queue.to_string(),
            decimals(self.requests_per_processor_and_step, 4),
            decimals(self.moves_per_job, 4),
            promise,
        ]
    }
}

impl Answer {
    pub(super) fn new(study: &RivalStudy, contenders: Vec<Row>) -> Self {
        Self {
            processors: study.processors,
            lambda: study.lambda.get(),
            generators: study.placement.to_string(),
            steps: study.length.steps,
            warmup: study.length.warmup,
            replications: study.replications,
            seed: study.seed.get(),
            contenders,
        }
    }

    /// As people read it.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{}, λ = {}, generators {}\n{} of {}, {} of them warm-up, seed {}\n\n",
            count(self.processors as u64, "processor"),
            self.lambda,
            self.generators,
            count(self.replications as u64, "run"),
            count(self.steps, "step"),
            self.warmup,
            self.seed,
        );
        let mut table = TextTable::new([
            "contender",
            "load",
            "95 %",
            "longest",
            "requests",
            "moves per job",
            "promised",
        ])
        .right_from(1);
        for row in &self.contenders {
            table.row(row.cells());
        }
        let _ = write!(text, "{table}");
        text
    }
}
