//! The results as one JSON object.

use std::fmt::Display;

use filch_experiments::dispatch::{Estimates, FarmRun, Situation};
use filch_stats::{BatchMeans, Histogram};
use serde::Serialize;

use super::arrivals;
use crate::args::SweepPlan;

/// What was asked for and what came out.
#[derive(Serialize)]
pub(crate) struct Document {
    seed: u64,
    slots: u32,
    situations: Vec<SituationJson>,
}

#[derive(Serialize)]
struct SituationJson {
    servers: String,
    load: Option<f64>,
    arrivals: String,
    batches: &'static str,
    policies: Vec<PolicyJson>,
    /// Every pair of policies that both have a mean.
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct PolicyJson {
    policy: String,
    mean_total_queue: f64,
    /// The ends of the interval.
    ci95: Option<[f64; 2]>,
    /// Whether the batch means of the interval pass a test of independence.
    independent: bool,
    /// Slots that the mean leaves out.
    warmup: u64,
    messages_per_slot: f64,
    jct: Option<Jct>,
    verdict: &'static str,
    /// The slot at which the run ended because too many jobs were waiting.
    ended: Option<u32>,
}

/// Job completion times in slots.
#[derive(Serialize)]
struct Jct {
    mean: f64,
    p50: u64,
    p90: u64,
    p99: u64,
    p999: u64,
    jobs: u64,
    /// Jobs that were not completed when the run ended.
    unfinished: u64,
    /// The slot from which on jobs were not timed, because too many were waiting.
    cut: Option<u32>,
}

/// Mean queue of the first minus mean queue of the second, paired.
#[derive(Serialize)]
struct Difference {
    first: String,
    second: String,
    difference: f64,
    ci95: [f64; 2],
    independent: bool,
}

pub(crate) fn document<P: Display + Clone>(
    plan: &SweepPlan,
    situations: &[Situation<'_, P>],
) -> Document {
    Document {
        seed: plan.seed.get(),
        slots: plan.slots,
        situations: situations.iter().map(entry).collect(),
    }
}

fn entry<P: Display + Clone>(situation: &Situation<'_, P>) -> SituationJson {
    let runs = &situation.runs;
    let policies = runs.iter().map(|FarmRun { outcome, estimates }| {
        let completions = outcome.completions.as_ref();
        PolicyJson {
            policy: estimates.policy.to_string(),
            mean_total_queue: estimates.mean_queue,
            ci95: estimates.interval,
            independent: estimates.independent,
            warmup: estimates.warm_up,
            messages_per_slot: estimates.messages_per_slot,
            jct: estimates.completion.as_ref().and_then(jct).map(|jct| Jct {
                unfinished: completions.map_or(0, |times| times.unfinished),
                cut: completions.and_then(|times| times.cut),
                ..jct
            }),
            verdict: estimates.verdict.name(),
            ended: outcome.ended,
        }
    });
    let pairs = (0..runs.len()).flat_map(|first| (first + 1..runs.len()).map(move |s| (first, s)));
    let estimates = |at: usize| &runs[at].estimates;
    SituationJson {
        servers: situation.farm.name.clone(),
        load: situation.demand.load(),
        arrivals: arrivals(situation),
        batches: situation.batches.name(),
        policies: policies.collect(),
        differences: pairs
            .filter_map(|(first, second)| difference(estimates(first), estimates(second)))
            .collect(),
    }
}

fn jct(times: &Histogram) -> Option<Jct> {
    Some(Jct {
        mean: times.mean()?,
        p50: times.quantile(0.5)?,
        p90: times.quantile(0.9)?,
        p99: times.quantile(0.99)?,
        p999: times.quantile(0.999)?,
        jobs: times.count(),
        unfinished: 0,
        cut: None,
    })
}

fn difference<P: Display + Clone>(
    first: &Estimates<P>,
    second: &Estimates<P>,
) -> Option<Difference> {
    let means: BatchMeans = first.minus(second)?;
    let interval = means.estimate.interval();
    Some(Difference {
        first: first.policy.to_string(),
        second: second.policy.to_string(),
        difference: means.estimate.mean,
        ci95: [interval.lo, interval.hi],
        independent: means.independent(),
    })
}
