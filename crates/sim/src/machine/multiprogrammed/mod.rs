//! Work stealing on a kernel that takes processors away: ABP01's multiprogrammed environment.
//!
//! A computation runs on P processes. In step i the kernel schedules p_i of them, and each of these
//! executes an instruction or makes one steal attempt. P_A is the mean of p_i over the run. Kernels
//! are adversaries of three strengths ([`Adversity`]):
//!
//! | adversary | what it chooses | the yield that it needs |
//! |---|---|---|
//! | benign | p_i alone; which processes run is drawn at random | none |
//! | oblivious | the processes too, without seeing the run | [`Yield::Random`] |
//! | adaptive | the processes, seeing all of the run | [`Yield::All`] |
//!
//! With the right yield the expected time is O(T1/P_A + Tinf·P/P_A)
//! (`filch_theory::machine::multiprogrammed`). Without, a kernel can run thieves for ever that find
//! nothing, while the process that has the work waits.
//!
//! **Cited.** N. Arora, R. Blumofe, G. Plaxton, *Thread scheduling for multiprogrammed
//! multiprocessors*, SPAA 1998 and Theory of Computing Systems 34 (2001). The abstract and the
//! names of the yields were at hand, the full text was not. This model is ours in its details: a
//! step of a process is an instruction or an attempt, a thief yields after an attempt that failed,
//! and when the kernel chooses a process that may not run, a process that it waits for runs in its
//! place.
//!
//! # A kernel of your own
//!
//! A type with [`Kernel`] runs [`Multiprogrammed`]. To give it a name: a file in `kernels/` with a
//! type that also has [`NamedKernel`], and one line in the list under `register!` in
//! `kernels/mod.rs`.

mod kernel;
pub mod kernels;
mod run;
mod yields;

pub use kernel::{Adversity, Kernel, KernelSight};
pub use kernels::{AnyKernel, KernelName, NamedKernel};
pub use run::{Multiprogrammed, MultiprogrammedOutcome};
pub use yields::Yield;
