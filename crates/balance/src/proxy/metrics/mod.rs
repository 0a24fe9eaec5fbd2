//! What the proxy counts, and how Prometheus reads it.

mod histogram;
mod text;

pub(crate) use histogram::Histogram;
pub(crate) use text::text;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a request did not get what it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// No connection to the server.
    Connect,
    /// The server took too long.
    TimedOut,
    /// The connection to the server broke.
    Broken,
    /// The server's answer was no HTTP.
    Garbage,
    /// The client left.
    ClientLeft,
    /// The queue was full.
    QueueFull,
    /// The wait in the queue took too long.
    QueueTimedOut,
    /// The request was malformed or too large.
    BadRequest,
    /// Something else.
    Other,
}

impl Problem {
    pub(crate) const ALL: [Self; 9] = [
        Self::Connect,
        Self::TimedOut,
        Self::Broken,
        Self::Garbage,
        Self::ClientLeft,
        Self::QueueFull,
        Self::QueueTimedOut,
        Self::BadRequest,
        Self::Other,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::TimedOut => "timeout",
            Self::Broken => "broken",
            Self::Garbage => "garbage",
            Self::ClientLeft => "client_left",
            Self::QueueFull => "queue_full",
            Self::QueueTimedOut => "queue_timeout",
            Self::BadRequest => "bad_request",
            Self::Other => "other",
        }
    }
}

/// What is counted for the whole proxy.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) refused: Counter,
    pub(crate) forged: Counter,
    pub(crate) reloads: Counter,
    pub(crate) bad_reloads: Counter,
    /// Whether the last reload was bad, so that an old configuration is running.
    stale: AtomicBool,
}

impl Counts {
    /// A reload has worked or not.
    pub(crate) fn reloaded(&self, worked: bool) {
        let counter = if worked {
            &self.reloads
        } else {
            &self.bad_reloads
        };
        counter.add();
        self.stale.store(!worked, Ordering::Relaxed);
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }
}

/// What is counted for a group.
#[derive(Debug, Default)]
pub(crate) struct GroupCounts {
    /// By hundreds of the status; the first is for requests that got none.
    statuses: [Counter; 6],
    problems: [Counter; Problem::ALL.len()],
    pub(crate) retries: Counter,
    pub(crate) latency: Histogram,
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
    /// From the moment the server was chosen until it had answered.
    pub(crate) latency: Histogram,
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
