//! The functions that Envoy calls. They turn C into Rust and back, and decide nothing.
//!
//! Every hook runs in [`guarded`](crate::abi::guard): no unwinding reaches Envoy. Pointers to
//! objects of the module are boxes that a `…_new` hook made and the matching `…_destroy` hook
//! takes back; the ABI promises that Envoy passes them to no hook afterwards.

#![allow(unsafe_code)]

pub mod balancer;
mod boxed;
mod envoy_filter;
mod envoy_lb;
pub mod filter;
pub mod program;
pub mod unused;

pub(crate) use envoy_filter::{EnvoyFilter, FilterMetrics, Scheduler};
pub(crate) use filter::Filter;
