//! Where a batch of jobs goes.
//!
//! A dispatcher stands in front of n servers. Batches of jobs arrive, and for each it decides at
//! once: all to one server ([`Dispatch::whole`]), or spread over several ([`Dispatch::split`]). What
//! it may know is in a [`View`]: in a simulation the exact queue lengths, in a thread pool or in
//! front of real servers perhaps nothing but who fell idle, which it is told by
//! [`Dispatch::fell_idle`].
//!
//! # The policies
//!
//! Those of the papers and a few to compare them with; [`PLAIN`] is the full list.
//!
//! | name | a whole batch goes to | a split batch is water-filled over | messages | needs |
//! |---|---|---|---|---|
//! | `random` | a random server | (each job to a random server) | none | – |
//! | `round-robin` | the next server in turn | (each job to the next in turn) | none | – |
//! | `last` | where the previous batch went | (the whole batch goes there) | none | – |
//! | `jsq` | the shortest queue | all servers | n a batch | queues |
//! | `jsq:D` | the shortest of D sampled queues | the samples | D a batch | queues |
//! | `jsq:D:M` | the shortest of D sampled and M remembered | samples and remembered | D+M a batch | queues |
//! | `sed` | the shortest expected delay | all servers, by delay | n a batch | queues, speeds |
//! | `considerate` | little harm to all: queue · r + √r, r times slower than the fastest | all servers, by the same | n a batch | queues, speeds |
//! | `idle(F)` | an idle server, else as F | the idle servers, else as F | a token per server that falls idle, and F's | F's |
//! | `idle-fastest(F)` | the fastest idle server, else as F | the idle servers, else as F | the same | F's, speeds |
//!
//! The papers' policies are compositions: Join-the-Idle-Queue, `jiq`, is `idle(random)`, and
//! Persistent-Idle, `pi`, is `idle(last)`. Wherever servers tie, one is chosen uniformly, unless the
//! policy goes by turns.
//!
//! # Adding a policy
//!
//! Write one file beside the others: a type with [`Dispatch`] and [`Policy`], and its tests. Add
//! one line to the list under `register!` at the end of this file. The name can then be typed
//! everywhere, alone and inside `idle(…)`; `filch policies` lists it, `filch reproduce` tries it,
//! and the property tests, which go through the list, test it.

mod assignment;
mod bits;
mod dispatcher;
mod fastest;
mod held;
mod idle;
mod lot;
mod registry;
mod scan;
mod scratch;
mod server_set;
mod spec;
mod tokens;
mod tournament;
mod view;
mod water;

pub use assignment::Assignment;
pub use bits::ServerBits;
pub use dispatcher::Dispatcher;
pub use fastest::FastestToken;
pub use idle::Idle;
pub use registry::{Entry, Policy};
pub use spec::{Spec, StartError};
pub use tokens::{AnyToken, Tokens};
pub use view::{Needs, View};

use rand::Rng;

/// A dispatch policy at work.
///
/// Servers are numbered 0 … n−1. A policy starts with n idle servers ([`Policy::start`]), so a
/// token policy holds all tokens at first; from then on it is told what happens and asked what to
/// do. The order is that of a slot in PI section 2.1: jobs arrive and are routed
/// ([`whole`](Self::whole) or [`split`](Self::split)), servers serve, and those that *became* idle
/// report it ([`fell_idle`](Self::fell_idle)).
///
/// The [`View`] passed in shows the servers as they are before the batch, always all n of them. A
/// batch has at least one job: nobody is asked about a slot without arrivals.
pub trait Dispatch {
    /// The server that takes the whole batch.
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize;

    /// Spreads the batch over the servers; `out` is emptied first and holds each job exactly once
    /// afterwards.
    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    );

    /// How many messages the policy has cost so far, counted as in PI section 4.1: a token sent by a
    /// server is one, a probe of a queue length is one; jobs, and tokens that travel back with them,
    /// are none.
    fn messages(&self) -> u64;

    /// `server` had jobs, finished them all and sent its token. Policies that do not listen to
    /// tokens ignore it, and it costs them nothing.
    fn fell_idle(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }

    /// All of `servers` fell idle in the same slot: as [`fell_idle`](Self::fell_idle) for each of them,
    /// in any order, but sooner.
    fn fell_idle_together(&mut self, servers: &ServerBits, view: &View<'_>) {
        servers
            .iter()
            .for_each(|server| self.fell_idle(server, view));
    }

    /// The token of `server` is void: it is not idle after all, or cannot be reached.
    fn withdraw(&mut self, server: usize) {
        let _ = server;
    }

    /// The previous batch went to `server` by somebody else's decision ([`Idle`] tells its fallback).
    fn sent(&mut self, server: usize) {
        let _ = server;
    }

    /// A server has joined, idle, as the last one of `view`.
    fn joined(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// `server` has left and the last server, until now number `servers` − 1, takes its number, as
    /// in [`Vec::swap_remove`]. Everything else that the policy remembers stays.
    fn left(&mut self, server: usize, servers: usize) {
        let _ = (server, servers);
    }

    /// The queue or the speed of `server` has changed since the policy last saw it. Only a policy
    /// that follows its servers ([`Spec::start_following`]) has to be told; the others look anew at
    /// every batch.
    fn changed(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }
}

registry::register! {
    random::Random,
    round_robin::RoundRobin,
    last::Last,
    jsq::Jsq,
    jsq_d::JsqD,
    jsq_memory::JsqMemory,
    sed::Sed,
    considerate::Considerate,
}
