//! The filter that lets requests wait for a server.
//!
//! It stands before the router. A request waits in the dispatcher's own waiting room, first come,
//! first served, until a server is below its limit; then its lease is reserved for the decision
//! that the router asks for on the same thread. If the room is full or time is up, the request is
//! answered with 503.
//!
//! The ABI's cluster extension may choose a host later, too, and is not used for this. Envoy keeps
//! one cancellation flag and one dispatcher for all pending choices of a worker's balancer, those
//! of the latest choice. With two requests waiting, ending the wait of one reads the flag of the
//! other: a client that leaves would take another client's answer with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use filch_balance::{Lease, Refused, Wait};

use crate::cluster::Cluster;
use crate::deadlines::{self, Appointment};
use crate::handoff;
use crate::hooks::{EnvoyFilter, FilterMetrics, Scheduler};
use crate::host::Host;
use crate::queue_config::QueueConfig;

/// The counters, by position.
pub(crate) const COUNTERS: [&str; 3] = ["queued", "queue_timeout", "queue_full"];
const QUEUED: usize = 0;
const TIMEOUT: usize = 1;
const FULL: usize = 2;

/// The gauges, by position.
pub(crate) const GAUGES: [&str; 1] = ["waiting"];
const WAITING: usize = 0;

pub(crate) type QueueMetrics = FilterMetrics<{ COUNTERS.len() }, { GAUGES.len() }>;

/// The numbers of the events that the filter's hook is called with.
const CALLED: u64 = 1;
const TIME_IS_UP: u64 = 2;

/// A request that waits, or has waited.
#[derive(Debug, Default)]
pub(crate) struct QueueFilter {
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    cluster: Arc<Cluster>,
    priority: usize,
    wait: Pending,
    caller: Waker,
    appointment: Appointment,
}

/// A wait without its contents, for `Debug`.
struct Pending(Wait<Host>);

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wait")
    }
}

/// What is to be done with the request. The hook does it when it holds the filter no more: Envoy
/// may destroy the filter meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Next {
    /// On to the router.
    Go,
    /// Not yet.
    Stay,
    /// Away, with 503 and this reason.
    Refuse {
        /// For the client.
        body: &'static str,
        /// For the access log.
        details: &'static str,
    },
}

/// Wakes a request: its worker is to look again.
struct Caller(Scheduler);

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.0.call(CALLED);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.call(CALLED);
    }
}

impl QueueFilter {
    /// A request has arrived.
    pub(crate) fn arrive(
        &mut self,
        filter: EnvoyFilter,
        config: &QueueConfig,
        metrics: &QueueMetrics,
    ) -> Next {
        // Without a balancer of ours, or without a healthy server, the router decides.
        let Some(cluster) = Cluster::known(&config.cluster) else {
            return Next::Go;
        };
        let Some(priority) = cluster.front() else {
            return Next::Go;
        };
        let level = cluster.level(priority);
        let mut wait = level.balancer().wait().at_most(config.room);
        let caller = Arc::new(Caller(filter.scheduler()));
        let waker = Waker::from(caller.clone());
        match poll(&mut wait, &waker) {
            Poll::Ready(outcome) => decided(outcome, cluster, priority, filter, metrics),
            Poll::Pending => {
                let up = Instant::now() + config.patience;
                let appointment = deadlines::at(up, move || caller.0.call(TIME_IS_UP));
                metrics.count(filter, QUEUED, 1);
                metrics.up(filter, WAITING, 1);
                self.waiting = Some(Waiting {
                    cluster,
                    priority,
                    wait: Pending(wait),
                    caller: waker,
                    appointment,
                });
                Next::Stay
            }
        }
    }

    /// The request was called, or its time is up.
    pub(crate) fn called(
        &mut self,
        filter: EnvoyFilter,
        event: u64,
        metrics: &QueueMetrics,
    ) -> Next {
        let Some(waiting) = &mut self.waiting else {
            return Next::Stay; // it went on meanwhile
        };
        // If it was called and its time is up, it goes on.
        let outcome = poll(&mut waiting.wait.0, &waiting.caller);
        if outcome.is_pending() && event != TIME_IS_UP {
            return Next::Stay;
        }
        let Some(waiting) = self.waiting.take() else {
            return Next::Stay;
        };
        metrics.down(filter, WAITING, 1);
        deadlines::cancel(waiting.appointment);
        match outcome {
            Poll::Ready(outcome) => {
                decided(outcome, waiting.cluster, waiting.priority, filter, metrics)
            }
            Poll::Pending => {
                metrics.count(filter, TIMEOUT, 1);
                Next::Refuse {
                    body: "no server became free in time\n",
                    details: "filch_queue_timeout",
                }
            }
        }
    }

    /// The stream is over, and so is the wait.
    pub(crate) fn destroy(self, filter: EnvoyFilter, metrics: &QueueMetrics) {
        if let Some(waiting) = self.waiting {
            metrics.down(filter, WAITING, 1);
            deadlines::cancel(waiting.appointment);
        }
    }
}

fn poll(wait: &mut Wait<Host>, waker: &Waker) -> Poll<Result<Lease<Host>, Refused>> {
    Pin::new(wait).poll(&mut Context::from_waker(waker))
}

fn decided(
    outcome: Result<Lease<Host>, Refused>,
    cluster: Arc<Cluster>,
    priority: usize,
    filter: EnvoyFilter,
    metrics: &QueueMetrics,
) -> Next {
    match outcome {
        Ok(lease) => {
            handoff::reserve(cluster, priority, lease);
            Next::Go
        }
        Err(Refused::QueueFull) => {
            metrics.count(filter, FULL, 1);
            Next::Refuse {
                body: "all servers are busy, and so is the queue\n",
                details: "filch_queue_full",
            }
        }
        // The router finds no server either, and says so as Envoy does.
        Err(_) => Next::Go,
    }
}
