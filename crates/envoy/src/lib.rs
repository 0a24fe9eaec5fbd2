//! The dispatch policies of filch inside a stock Envoy.
//!
//! Envoy 1.38 and newer loads *dynamic modules*: shared objects with functions of agreed names.
//! This one is a load-balancing policy and two HTTP filters, with the dispatcher of `filch-balance`
//! behind them. `docs/envoy.md` says how to use it.
//!
//! | part | what Envoy calls it for |
//! |---|---|
//! | the balancer | which host a request goes to |
//! | the filter in the cluster's chain | to end the request's lease, learn speeds, and read tokens |
//! | the filter `queue` before the router | to let requests wait for a server below its limit |
//!
//! # What is shared
//!
//! Envoy makes a balancer for each worker thread. They share one [`Cluster`](cluster::Cluster): a
//! [`Balancer`](filch_balance::Balancer) for each priority, so that a worker knows of the requests
//! of the others, and what one of them learns all know. A decision and the end of a request each
//! hold the balancer's lock; nothing else is locked on their path.
//!
//! # Safety
//!
//! `abi` declares Envoy's functions, `hooks` has ours; unsafe code is in these two folders only. No
//! unwinding crosses the boundary: a hook that panics is logged and counted, and Envoy gets the
//! answer that does least harm, such as no host.

pub mod abi;
mod address;
pub mod cluster;
pub mod config;
mod deadlines;
pub mod handoff;
pub mod hooks;
pub mod host;
mod lease_filter;
pub mod level;
pub mod local;
mod memory;
mod poison;
pub mod priority;
pub mod queue_config;
mod queue_filter;
pub mod seen;
mod state_file;
mod tally;
mod unclaimed;
pub mod worker;

pub use unclaimed::HostCounts;
