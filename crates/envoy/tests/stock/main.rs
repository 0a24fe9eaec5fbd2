//! The module inside stock Envoys, of every version that `FILCH_ENVOYS` names: `.ci/envoy` fetches
//! them and sets it.
//!
//! Each test starts Envoys of its own, on ports that the system chooses, in front of servers in
//! this process. Nothing here waits for a fixed time: a test waits until something is so, for up to
//! [`PATIENCE`](harness::PATIENCE).

mod documented;
mod endings;
mod faults;
mod harness;
mod membership;
mod protocols;
mod queue;
mod refusals;
mod replicas;
mod restart;
mod serving;
mod without_filter;
