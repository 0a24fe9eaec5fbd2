//! The filter that sees an upstream request end.
//!
//! It stands in the cluster's own chain of HTTP filters, of which Envoy makes one for each attempt:
//! a retry and a hedged request have filters, and leases, of their own.

use filch_balance::{Outcome, Told};

use crate::handoff::Handed;
use crate::hooks::{AnswerHead, EnvoyFilter, FilterMetrics};

/// The counters, by position.
pub(crate) const COUNTERS: [&str; 7] = [
    "sent_to_idle",
    "sent_to_busy",
    "answered",
    "unanswered",
    "told_idle",
    "told_busy",
    "without_lease",
];
const SENT_TO_IDLE: usize = 0;
const SENT_TO_BUSY: usize = 1;
const ANSWERED: usize = 2;
const UNANSWERED: usize = 3;
const TOLD_IDLE: usize = 4;
const TOLD_BUSY: usize = 5;
const WITHOUT_LEASE: usize = 6;

/// The gauges, by position.
pub(crate) const GAUGES: [&str; 1] = ["in_flight"];
const IN_FLIGHT: usize = 0;

pub(crate) type LeaseMetrics = FilterMetrics<{ COUNTERS.len() }, { GAUGES.len() }>;

/// One attempt at a request.
#[derive(Debug)]
pub(crate) struct LeaseFilter {
    handed: Option<Handed>,
    told: Told,
    outcome: Outcome,
}

impl LeaseFilter {
    pub(crate) fn of(handed: Option<Handed>) -> Self {
        Self {
            handed,
            told: Told::Silent,
            outcome: Outcome::Good,
        }
    }

    pub(crate) fn handed(&self) -> Option<&Handed> {
        self.handed.as_ref()
    }

    pub(crate) fn take_handed(&mut self) -> Option<Handed> {
        self.handed.take()
    }

    /// The attempt begins.
    pub(crate) fn begin(&self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        let Some(handed) = &self.handed else {
            return metrics.count(filter, WITHOUT_LEASE);
        };
        let to_idle = handed.lease.on_token();
        metrics.count(filter, if to_idle { SENT_TO_IDLE } else { SENT_TO_BUSY });
        metrics.up(filter, IN_FLIGHT);
    }

    pub(crate) fn request(&self, filter: EnvoyFilter) {
        filter.remove_forged_token();
    }

    /// The head of the answer.
    pub(crate) fn answer(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics, is_all: bool) {
        let AnswerHead { status, told } = filter.take_answer();
        self.told = told;
        match told {
            Told::Idle | Told::Numbered { idle: true, .. } => metrics.count(filter, TOLD_IDLE),
            Told::Busy | Told::Numbered { .. } => metrics.count(filter, TOLD_BUSY),
            Told::Silent => {}
        }
        if let (Some(handed), Some(status)) = (&self.handed, status) {
            self.outcome = handed.lease.outcome_of(status);
        }
        if is_all {
            self.end(filter, metrics);
        }
    }

    /// The answer has ended.
    #[inline]
    pub(crate) fn end(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        if let Some(handed) = self.handed.take() {
            handed.lease.ended(self.outcome, self.told);
            metrics.count(filter, ANSWERED);
            metrics.down(filter, IN_FLIGHT);
        }
    }

    /// The attempt is over. If the answer has not ended, the server failed or the client left, and
    /// Envoy does not say which: the lease counts as abandoned, after which nothing is learned from
    /// the server's next answer.
    pub(crate) fn destroy(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        if self.handed.take().is_some() {
            metrics.count(filter, UNANSWERED);
            metrics.down(filter, IN_FLIGHT);
        }
    }
}
