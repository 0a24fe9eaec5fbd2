//! What `filch fleet` prints.

use std::fmt::Write as _;

use filch_experiments::fleet::{FleetStudy, limit_of};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use serde::Serialize;

use crate::asked::FleetPolicy;
use crate::output::count;

/// The answer as it is written to JSON. Times are in mean service times.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    servers: usize,
    lambda: f64,
    dispatchers: usize,
    time: f64,
    warmup: f64,
    replications: usize,
    seed: u64,
    policies: Vec<Row>,
    /// Every pair of policies of which no run was stopped.
    differences: Vec<Difference>,
}

/// Mean time of the first minus mean time of the second, paired by run.
#[derive(Debug, Serialize)]
struct Difference {
    first: String,
    second: String,
    difference: f64,
    ci95: [f64; 2],
}

/// What became of one policy.
#[derive(Debug, Serialize)]
struct Row {
    policy: String,
    mean_time_in_system: Option<f64>,
    ci95: Option<[f64; 2]>,
    share_that_waited: Option<f64>,
    /// Runs that were stopped because the queues grew without bound.
    stopped_runs: usize,
    /// What the policy comes to with very many servers, if there are equations for it.
    limit: Option<TimeLimit>,
}

#[derive(Debug, Serialize)]
struct TimeLimit {
    mean_time_in_system: f64,
    /// How far it may be off.
    error: f64,
    /// Whether the setting is that of the equations: one dispatcher.
    applies: bool,
}

impl Row {
    fn new(study: &FleetStudy, FleetPolicy { name, spec, found }: &FleetPolicy) -> Self {
        let spec = spec.as_ref();
        let limit = spec.and_then(|spec| limit_of(spec, study.lambda)?.ok());
        Self {
            policy: name.clone(),
            mean_time_in_system: found.time,
            ci95: found.interval.map(|estimate| {
                let interval = estimate.interval();
                [interval.lo, interval.hi]
            }),
            share_that_waited: found.waited,
            stopped_runs: found.ended,
            limit: limit.map(|limit| TimeLimit {
                mean_time_in_system: limit.time_in_system(),
                error: limit.error / study.lambda,
                applies: study.dispatchers == 1,
            }),
        }
    }

    fn cells(&self) -> [String; 5] {
        let real = |value: Option<f64>| value.map_or("–".to_owned(), |value| decimals(value, 4));
        let interval = self.ci95.map_or("–".to_owned(), |[lo, hi]| {
            format!("{} … {}", decimals(lo, 4), decimals(hi, 4))
        });
        let limit = match &self.limit {
            Some(limit) if limit.applies => decimals(limit.mean_time_in_system, 4),
            Some(limit) => {
                let time = decimals(limit.mean_time_in_system, 4);
                format!("{time} (of one dispatcher)")
            }
            None => "–".to_owned(),
        };
        let time = match self.stopped_runs {
            0 => real(self.mean_time_in_system),
            runs => format!("{} (stopped)", count(runs as u64, "run")),
        };
        let waited = real(self.share_that_waited);
        [self.policy.clone(), time, interval, waited, limit]
    }
}

impl Answer {
    pub(crate) fn new(study: &FleetStudy, found: &[FleetPolicy]) -> Self {
        let pairs = (0..found.len()).flat_map(|one| (one + 1..found.len()).map(move |b| (one, b)));
        let differences = pairs.filter_map(|(first, second)| {
            let estimate = found[first].found.minus(&found[second].found)?;
            let interval = estimate.interval();
            Some(Difference {
                first: found[first].name.clone(),
                second: found[second].name.clone(),
                difference: estimate.mean,
                ci95: [interval.lo, interval.hi],
            })
        });
        Self {
            servers: study.servers,
            lambda: study.lambda,
            dispatchers: study.dispatchers,
            time: study.until,
            warmup: study.warm_up,
            replications: study.replications,
            seed: study.seed.get(),
            policies: found.iter().map(|policy| Row::new(study, policy)).collect(),
            differences: differences.collect(),
        }
    }

    /// As people read it.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{}, λ = {}, {}\n{} of {} mean service times, {} of them warm-up, seed {}\n\n",
            count(self.servers as u64, "server"),
            self.lambda,
            count(self.dispatchers as u64, "dispatcher"),
            count(self.replications as u64, "run"),
            self.time,
            self.warmup,
            self.seed,
        );
        let heading = ["policy", "time in system", "95 %", "waited", "as n → ∞"];
        let mut table = TextTable::new(heading).right_from(1);
        for row in &self.policies {
            table.row(row.cells());
        }
        let _ = write!(text, "{table}");
        text
    }
}
