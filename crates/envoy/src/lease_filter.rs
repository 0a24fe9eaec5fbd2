//! The filter that sees an upstream request end.
//!
//! It stands in the cluster's own chain of HTTP filters, of which Envoy makes one for each attempt:
//! a retry and a hedged request have filters, and leases, of their own.

use filch_balance::{LeaseEnd, Outcome, Told};

use crate::handoff::Handed;
use crate::hooks::{EnvoyFilter, FilterMetrics};
use crate::tally::{
    ANSWERED, Changes, SENT_TO_BUSY, SENT_TO_IDLE, TOLD_BUSY, TOLD_IDLE, UNANSWERED,
};

/// The counters, by position. All but the last are in the tally, at the same positions.
pub(crate) const COUNTERS: [&str; 7] = [
    "sent_to_idle",
    "sent_to_busy",
    "answered",
    "unanswered",
    "told_idle",
    "told_busy",
    "without_lease",
];
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

    /// Another attempt begins.
    #[inline]
    pub(crate) fn use_again(&mut self, handed: Handed) {
        self.handed = Some(handed);
        self.told = Told::Silent;
        self.outcome = Outcome::Good;
    }

    #[inline]
    pub(crate) fn handed(&self) -> Option<&Handed> {
        self.handed.as_ref()
    }

    #[inline]
    pub(crate) fn take_handed(&mut self) -> Option<Handed> {
        self.handed.take()
    }

    /// The attempt begins.
    #[inline]
    pub(crate) fn begin(&self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        let Some(handed) = &self.handed else {
            return metrics.count(filter, WITHOUT_LEASE, 1);
        };
        let to_idle = handed.on_token();
        let counter = if to_idle { SENT_TO_IDLE } else { SENT_TO_BUSY };
        if let Some(changes) = handed.local().tally.begin(counter) {
            show(changes, filter, metrics);
        }
    }

    /// Whether there may be tokens in headers. To have Envoy show the headers is nearly a third of
    /// what the hooks cost, and without tokens it is not needed. A request without a lease may be
    /// one of a cluster with tokens.
    #[inline]
    fn looks_for_tokens(&self) -> bool {
        self.handed.as_ref().is_none_or(|it| it.local().tokens())
    }

    #[inline]
    pub(crate) fn request(&self, filter: EnvoyFilter) {
        if self.looks_for_tokens() {
            filter.remove_forged_token();
        }
    }

    /// The head of the answer.
    #[inline]
    pub(crate) fn answer(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics, is_all: bool) {
        if self.looks_for_tokens() {
            self.read(filter, metrics);
        } else {
            self.learn_status(filter.status());
        }
        if is_all {
            self.end(filter, metrics);
        }
    }

    /// Not inlined: the headers take two kilobytes of the stack, below which lies nothing that was
    /// used lately.
    #[inline(never)]
    fn read(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        let status = filter.take_answer(&mut self.told);
        let counter = match self.told {
            Told::Idle | Told::Numbered { idle: true, .. } => Some(TOLD_IDLE),
            Told::Busy | Told::Numbered { .. } => Some(TOLD_BUSY),
            Told::Silent => None,
        };
        match (counter, &self.handed) {
            (Some(counter), Some(handed)) => {
                if let Some(changes) = handed.local().tally.note(counter) {
                    show(changes, filter, metrics);
                }
            }
            (Some(counter), None) => metrics.count(filter, counter, 1),
            (None, _) => {}
        }
        self.learn_status(status);
    }

    #[inline]
    fn learn_status(&mut self, status: Option<u16>) {
        if let (Some(handed), Some(status)) = (&self.handed, status) {
            self.outcome = handed.local().balancer().outcome_of(status);
        }
    }

    /// The answer has ended.
    #[inline]
    pub(crate) fn end(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        if let Some(mut handed) = self.handed.take() {
            handed.give_back(LeaseEnd::Answered(self.outcome, self.told));
            if let Some(changes) = handed.local().tally.end(ANSWERED) {
                show(changes, filter, metrics);
            }
        }
    }

    /// The attempt is over. If the answer has not ended, the server failed or the client left, and
    /// Envoy does not say which: the lease counts as abandoned, after which nothing is learned from
    /// the server's next answer. But if the head of the answer was that of a failure, the router
    /// tries again elsewhere and lets the rest go: the server has failed.
    pub(crate) fn destroy(&mut self, filter: EnvoyFilter, metrics: &LeaseMetrics) {
        if let Some(mut handed) = self.handed.take() {
            handed.give_back(if self.outcome == Outcome::Failed {
                LeaseEnd::Failed
            } else {
                LeaseEnd::Abandoned
            });
            if let Some(changes) = handed.local().tally.end(UNANSWERED) {
                show(changes, filter, metrics);
            }
        }
    }
}

/// Makes changes to Envoy's statistics.
#[inline(never)]
fn show(changes: Changes, filter: EnvoyFilter, metrics: &LeaseMetrics) {
    for (counter, more) in changes.counters.into_iter().enumerate() {
        if more > 0 {
            metrics.count(filter, counter, more.into());
        }
    }
    let amount = changes.in_flight.unsigned_abs();
    if changes.in_flight > 0 {
        metrics.up(filter, IN_FLIGHT, amount);
    } else if changes.in_flight < 0 {
        metrics.down(filter, IN_FLIGHT, amount);
    }
}
