//! What the proxy counts, and how Prometheus reads it.

mod counter;
mod counts;
mod exposition;
mod latency_histogram;
mod text;

pub(crate) use counter::Counter;
pub(crate) use counts::{GroupCounts, ProxyCounts, ServerCounts};
pub(crate) use text::text;

use latency_histogram::LatencyHistogram;
