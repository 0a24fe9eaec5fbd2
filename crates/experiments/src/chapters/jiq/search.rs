//! The critical load by bisection on the verdict.

use filch_sim::farm::{Batches, Length, Run, Servers, simulate};
use filch_stats::stability::Verdict;

use super::super::farm::{arrivals, named};
use super::region::{RegionPlan, TOP};
use crate::chapters::Setting;
use crate::dispatch::Estimates;

/// The lowest load that is tried.
const BOTTOM: f64 = 0.5;

/// The range of loads in which the verdict turns to unstable.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadRange {
    /// The largest load below the critical one: its verdict is not unstable.
    pub(super) low: f64,
    /// The smallest load with the verdict unstable; [`TOP`] if there is none.
    pub(super) high: f64,
    /// Whether any load is unstable.
    pub(super) found: bool,
}

impl LoadRange {
    pub(super) fn middle(self) -> f64 {
        (self.low + self.high) / 2.0
    }

    pub(super) fn shown(self) -> String {
        if self.found {
            format!("{:.3} … {:.3}", self.low, self.high)
        } else {
            format!("none up to {TOP}")
        }
    }

    /// The range that covers those of several replications.
    pub(super) fn widest<'a>(bounds: impl Iterator<Item = &'a Self>) -> Self {
        let none = Self {
            low: TOP,
            high: 0.0,
            found: false,
        };
        bounds.fold(none, |all, one| Self {
            low: all.low.min(one.low),
            high: all.high.max(one.high),
            found: all.found || one.found,
        })
    }
}

pub(super) fn search(
    setting: &Setting<'_>,
    plan: &RegionPlan,
    servers: &Servers,
    batches: Batches,
    replication: u64,
) -> LoadRange {
    let unstable = |load: f64| {
        let run = Run {
            completions: false,
            ..Run::of(named("jiq"), batches, arrivals(servers, load))
        };
        let length = Length::of(plan.slots);
        let outcomes = simulate(servers, &[run], length, setting.seed, replication);
        let outcome = &outcomes.expect("a good policy")[0];
        Estimates::of(outcome, None).verdict == Verdict::Unstable
    };
    if !unstable(TOP) {
        return LoadRange {
            low: TOP,
            high: TOP,
            found: false,
        };
    }
    let (mut low, mut high) = if unstable(BOTTOM) {
        (0.0, BOTTOM)
    } else {
        (BOTTOM, TOP)
    };
    while high - low > plan.resolution {
        let middle = (low + high) / 2.0;
        if unstable(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    LoadRange {
        low,
        high,
        found: true,
    }
}
