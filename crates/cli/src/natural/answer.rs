//! What `filch natural` prints.

use std::fmt::Write as _;

use filch_experiments::natural::{Conclusion, LoadLimit, ProcessBounds, Recovery, Study};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use filch_stats::stability::Verdict;
use filch_theory::limit::NoLimit;
use serde::Serialize;

use crate::output::{coloured, count};

/// The answer as it is written to JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    processors: usize,
    lambda: f64,
    steal: String,
    generators: String,
    steps: u64,
    warmup: u64,
    replications: usize,
    seed: u64,
    /// The mean of the system load Φ, the sum of all queues.
    mean_load: Option<f64>,
    ci95: Option<[f64; 2]>,
    mean_load_per_processor: Option<f64>,
    /// Quantiles of the system load, to one part in 1024.
    load_quantiles: Vec<Quantile>,
    max_queue: u64,
    requests_per_step: Option<f64>,
    steals_per_step: Option<f64>,
    jobs_moved_per_step: Option<f64>,
    verdict: &'static str,
    cut: Option<Cut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LoadLimit>,
    theorem22_unstable: bool,
    bounds: ProcessBounds,
}

#[derive(Debug, Serialize)]
struct Quantile {
    share: f64,
    load: u64,
}

/// A run ended early because the load exceeded the limit.
#[derive(Debug, Serialize)]
struct Cut {
    load: u64,
    /// The earliest step in which it happened.
    step: u64,
}

const SHARES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

impl Answer {
    pub(crate) fn new(
        study: &Study,
        conclusion: &Conclusion,
        recovery: Option<Recovery>,
        limit: Option<LoadLimit>,
        bounds: ProcessBounds,
    ) -> Self {
        let process = &study.process;
        let quantile = |share| {
            let load = conclusion.loads.quantile(share)?;
            Some(Quantile { share, load })
        };
        Self {
            processors: process.processors,
            lambda: process.lambda.get(),
            steal: process.steal.to_string(),
            generators: process.placement.to_string(),
            steps: study.length.steps,
            warmup: study.length.warmup,
            replications: study.replications,
            seed: study.seed.get(),
            mean_load: conclusion.mean_load,
            ci95: conclusion.ci95(),
            mean_load_per_processor: conclusion
                .mean_load
                .map(|load| load / process.processors as f64),
            load_quantiles: SHARES.into_iter().filter_map(quantile).collect(),
            max_queue: conclusion.longest,
            requests_per_step: conclusion.requests,
            steals_per_step: conclusion.steals,
            jobs_moved_per_step: conclusion.moved,
            verdict: conclusion.verdict.name(),
            cut: conclusion.cut.map(|step| Cut {
                load: study.length.cut,
                step,
            }),
            recovery,
            limit,
            theorem22_unstable: bounds.is_unstable(),
            bounds,
        }
    }

    /// As people read it; the verdict, which is that of the report, has its colour.
    pub(super) fn text(&self, verdict: Verdict) -> String {
        let mut text = format!(
            "{}, λ = {}, steal {}, generators {}\n{} of {}, {} of them warm-up, seed {}\n\n",
            count(self.processors as u64, "processor"),
            self.lambda,
            self.steal,
            self.generators,
            count(self.replications as u64, "run"),
            count(self.steps, "step"),
            self.warmup,
            self.seed,
        );
        let mut table = TextTable::untitled(2).right_from(2);
        table.row(["verdict".into(), coloured(verdict)]);
        let mut line = |name: &str, value: String| table.row([name, &*value]);
        let real = |value: Option<f64>| value.map_or("–".to_owned(), |value| decimals(value, 4));
        if let Some(Cut { load, step }) = &self.cut {
            let what = format!("a run had more than {load} jobs after {step} steps and was ended");
            line("cut", what);
        }
        let interval = |ends: Option<[f64; 2]>| {
            ends.map_or(String::new(), |[lo, hi]| {
                format!("  (95 %: {} … {})", decimals(lo, 4), decimals(hi, 4))
            })
        };
        line(
            "mean system load",
            real(self.mean_load) + &interval(self.ci95),
        );
        line("  for each processor", real(self.mean_load_per_processor));
        if let Some(limit) = &self.limit {
            line("  as n → ∞", limit_text(*limit, &self.generators));
        }
        for Quantile { share, load } in &self.load_quantiles {
            let name = if *share < 1.0 {
                format!("  {} % of steps: at most", 100.0 * share)
            } else {
                "  largest".to_owned()
            };
            line(&name, load.to_string());
        }
        line("longest queue", self.max_queue.to_string());
        line("requests per step", real(self.requests_per_step));
        line("steals per step", real(self.steals_per_step));
        line("jobs moved per step", real(self.jobs_moved_per_step));
        if let Some(recovery) = &self.recovery {
            let name = format!("recovery from {} jobs", recovery.jobs);
            let what = match (recovery.level, recovery.mean_steps) {
                (None, _) => "not measured: the load did not settle".to_owned(),
                (_, None) => format!(
                    "{} of {} runs recovered within {} steps",
                    recovery.recovered, self.replications, self.steps
                ),
                (_, Some(steps)) => format!(
                    "{} steps{}; if no processor is idle {}",
                    decimals(steps, 1),
                    interval(recovery.ci95),
                    real(recovery.at_least)
                ),
            };
            line(&name, what);
        }
        if let Some(load) = &self.bounds.load {
            line("mean at most (Theorem 12)", load.mean.to_string());
        }
        let unstable = match &self.bounds.theorem22 {
            Some(theorem) if theorem.unstable => "says that this is unstable",
            Some(_) => "does not say that this is unstable",
            None => "does not apply",
        };
        line("Theorem 22", unstable.to_owned());
        let unmet = self
            .bounds
            .theorem10
            .iter()
            .filter(|one| !one.holds)
            .count();
        let met = match unmet {
            0 => "all hypotheses met: stable".to_owned(),
            _ => format!(
                "{unmet} of {} hypotheses not met: see 'filch theory natural'",
                self.bounds.theorem10.len()
            ),
        };
        line("Theorem 10", met);
        let _ = write!(text, "{table}");
        if verdict == Verdict::Undecided {
            text.push_str(
                "\nUndecided: the runs are too short, or the process too close to its limit, to say \
                 more.\n",
            );
        }
        text
    }
}

/// The limit of generators `uniform`, and whether the process has it.
fn limit_text(limit: LoadLimit, generators: &str) -> String {
    let (Some(mean), Some(error)) = (limit.mean_load_per_processor, limit.error) else {
        return match limit.refused {
            Some(NoLimit::Overloaded) | None => "no stationary state".to_owned(),
            Some(refused) => format!("not computed: {refused}"),
        };
    };
    let label = if limit.applies {
        String::new()
    } else {
        format!(", of generators uniform: {generators} does not come to it")
    };
    format!("{}  (to within {error:.1e}){label}", decimals(mean, 4))
}
