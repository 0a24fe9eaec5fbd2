use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Counter, LatencyHistogram};
use crate::proxy::connections::FailedHandshake;
use crate::proxy::problem::Problem;

/// What is counted for the whole proxy.
#[derive(Debug, Default)]
pub(crate) struct ProxyCounts {
    pub(crate) refused: Counter,
    pub(crate) forged: Counter,
    pub(crate) reloads: Counter,
    pub(crate) bad_reloads: Counter,
    handshakes: [Counter; FailedHandshake::ALL.len()],
    /// Whether the last reload was refused, so that an older configuration is in use.
    stale: AtomicBool,
}

impl ProxyCounts {
    /// A reload has worked or was refused.
    pub(crate) fn reloaded(&self, worked: bool) {
        let counter = if worked {
            &self.reloads
        } else {
            &self.bad_reloads
        };
        counter.add();
        self.stale.store(!worked, Ordering::Relaxed);
    }

    pub(crate) fn handshake_failed(&self, reason: FailedHandshake) {
        self.handshakes[reason as usize].add();
    }

    pub(crate) fn failed_handshakes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FailedHandshake::ALL
            .into_iter()
            .map(|reason| (reason.name(), self.handshakes[reason as usize].get()))
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }
}

/// What is counted for a group.
#[derive(Debug, Default)]
pub(crate) struct GroupCounts {
    /// By class of the status; the first is for requests without an answer.
    statuses: [Counter; 6],
    problems: [Counter; Problem::ALL.len()],
    pub(crate) retries: Counter,
    pub(crate) latency: LatencyHistogram,
}

impl GroupCounts {
    /// A request has ended with this status, if any.
    pub(crate) fn ended(&self, status: Option<u16>, took: Duration) {
        let class = status.map_or(0, |status| usize::from(status / 100).min(5));
        self.statuses[class].add();
        self.latency.record(took);
    }

    pub(crate) fn had(&self, problem: Problem) {
        self.problems[problem as usize].add();
    }

    pub(crate) fn statuses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];
        names
            .into_iter()
            .zip(self.statuses.iter().map(Counter::get))
    }

    pub(crate) fn problems(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Problem::ALL
            .into_iter()
            .map(|problem| (problem.name(), self.problems[problem as usize].get()))
    }
}

/// What is counted for a server.
#[derive(Debug, Default)]
pub(crate) struct ServerCounts {
    /// From the choice of the server to the end of its answer.
    pub(crate) latency: LatencyHistogram,
    pub(crate) passed: Counter,
    pub(crate) missed: Counter,
}

impl ServerCounts {
    pub(crate) fn checked(&self, passed: bool) {
        if passed {
            self.passed.add();
        } else {
            self.missed.add();
        }
    }
}
