//! A dispatch policy behind function pointers, as `numba` and `cffi` make them.
//!
//! This file has all of the crate's unsafe code. The functions have C's calling convention:
//!
//! ```c
//! int64_t whole(uint32_t jobs, const uint32_t *queues, const double *speeds,
//!               uint64_t servers, uint64_t random, void *state);
//! void idle(uint64_t server, void *state);
//! ```
//!
//! # Safety
//!
//! What the user promises by passing addresses, since filch cannot check it:
//!
//! 1. `whole`, and `idle` unless it is 0, is the address of a function with the signature above. It
//!    stays there while the [`Pointer`] lives: the Python class keeps the object that owns it.
//! 2. The functions read `queues` and `speeds` below `servers` only, and keep no pointer after they
//!    have returned.
//! 3. They read and write `state` within the bytes that were passed, and no other memory that
//!    another thread writes: runs are made on several threads at once, each with a `state` of its
//!    own.
//! 4. They return: they do not unwind, and they need no GIL.

#![allow(unsafe_code)]

use std::mem;

use filch_policy::dispatch::{Dispatch, View};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::Rng;

use crate::ending::Ending;

type Whole = unsafe extern "C" fn(u32, *const u32, *const f64, u64, u64, *mut u64) -> i64;
type Idle = unsafe extern "C" fn(u64, *mut u64);

/// A policy behind function pointers, in the state in which runs begin.
#[pyclass(frozen, module = "filch._native")]
pub(crate) struct Pointer(PointerPolicy);

/// The same at work.
#[derive(Clone)]
pub(crate) struct PointerPolicy {
    whole: Whole,
    idle: Option<Idle>,
    /// The bytes that the functions keep between decisions, aligned for any number.
    state: Vec<u64>,
    /// What a decision costs, and what all have cost.
    messages_each: u64,
    messages: u64,
}

#[pymethods]
impl Pointer {
    #[new]
    fn new(whole: usize, idle: usize, state: &[u8], messages_each: u64) -> PyResult<Self> {
        if whole == 0 {
            return Err(PyValueError::new_err(
                "whole: the address of a function is not 0",
            ));
        }
        // SAFETY: the address is not 0, and by promise 1 it is that of a function with this
        // signature. Function pointers are as large as addresses.
        let whole = unsafe { mem::transmute::<usize, Whole>(whole) };
        // SAFETY: as above; `None` is the pointer that is 0.
        let idle = unsafe { mem::transmute::<usize, Option<Idle>>(idle) };
        let words = state.chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_ne_bytes(word)
        });
        Ok(Self(PointerPolicy {
            whole,
            idle,
            state: words.collect(),
            messages_each,
            messages: 0,
        }))
    }
}

impl Pointer {
    pub(crate) fn policy(&self) -> PointerPolicy {
        self.0.clone()
    }
}

impl Dispatch for PointerPolicy {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        let (queues, speeds) = (view.queues().as_ptr(), view.speeds().as_ptr());
        let (servers, state) = (view.servers(), self.state.as_mut_ptr());
        let random = rng.next_u64();
        // SAFETY: the function has this signature (promise 1). Queues and speeds are slices of
        // `servers` values that live throughout the call, and are only read (2). The state is
        // borrowed mutably by this call alone (3). The function returns (4).
        let answer = unsafe { (self.whole)(jobs, queues, speeds, servers as u64, random, state) };
        self.messages += self.messages_each;
        let known = usize::try_from(answer).ok().filter(|&to| to < servers);
        known.unwrap_or_else(|| {
            Ending::Nonsense(format!(
                "whole() returned {answer}, and there is no such server: return the number of a \
                 server, 0 to {}",
                servers - 1
            ))
            .end()
        })
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn fell_idle(&mut self, server: usize, _: &View<'_>) {
        let Some(idle) = self.idle else { return };
        self.messages += 1;
        // SAFETY: the function has this signature (promise 1), uses the state alone, which this
        // call borrows mutably (3), and returns (4).
        unsafe { idle(server as u64, self.state.as_mut_ptr()) };
    }
}
