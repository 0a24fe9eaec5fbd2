//! Where a batch of jobs goes.
//!
//! A dispatcher stands in front of n servers. Batches of jobs arrive, and for each it decides at
//! once: all to one server ([`Dispatch::whole`]), or spread over several ([`Dispatch::split`]).
//! What it may know is in a [`View`]: the exact queue lengths in a simulation, perhaps nothing in a
//! thread pool or in front of real servers. Which servers fell idle it is told by
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
//! | `considerate` | the least queue · r + √r, r times slower than the fastest (one job at a time) | all servers, by the same | n a batch | queues, speeds |
//! | `idle(F)` | an idle server, else as F | the idle servers, else as F | a token per server that falls idle, and F's | F's |
//! | `idle-one(F)` | an idle server, else as F | (the whole batch goes to an idle server), else as F | the same | F's |
//! | `idle-scatter(F)` | an idle server, else as F | (each job to a random idle server), else as F | the same | F's |
//! | `idle-speed(F)` | an idle server, else as F | (the idle servers, by speed), else as F | the same | F's, speeds |
//! | `idle-fastest(F)` | the fastest idle server, else as F | the idle servers, else as F | the same | F's, speeds |
//!
//! The papers' policies are compositions: Join-the-Idle-Queue, `jiq`, is `idle(random)`, and
//! Persistent-Idle, `pi`, is `idle(last)`. PI-Split allows any rule that gives jobs to idle servers
//! only (PI, equation 7): `idle`, `idle-one`, `idle-scatter` and `idle-speed` are four of them.
//! Where servers tie, one is chosen uniformly, unless the policy takes turns.
//!
//! # A policy of one's own
//!
//! In a program of one's own: a type with [`Dispatch`], which needs one method. `filch-sim`
//! simulates it as it is.
//!
//! In filch, with a name: one file beside the others, a type with [`Dispatch`] and [`Policy`] and
//! its tests; and one line in the list under `register!` at the end of this file. The name can then
//! be typed everywhere, alone and inside `idle(…)`. `filch policies` lists it, `filch reproduce`
//! tries it, and the property tests, which go through the list, test it.

mod assignment;
#[doc(hidden)]
pub mod beginning;
mod dispatcher;
mod fastest;
mod idle;
mod registry;
mod scan;
mod scratch;
mod sets;
mod spec;
mod spread;
mod start;
mod start_error;
mod tokens;
mod view;
mod water;

pub use assignment::Assignment;
pub use dispatcher::Dispatcher;
pub use fastest::FastestToken;
pub use idle::Idle;
pub use registry::{Policy, PolicyEntry};
pub use sets::ServerBits;
pub use spec::Spec;
pub use spread::{OneServer, Scattered, SpeedShare, Spread, SpreadTokens};
pub use start::Start;
pub use start_error::StartError;
pub use tokens::{AnyToken, Tokens};
pub use view::{Needs, View};

use rand::Rng;

/// A dispatch policy at work.
///
/// A policy needs one method, [`whole`](Self::whole): where does this batch go? All others have
/// defaults for a policy that does not care. This one sends a batch to the better of two random
/// servers, by the time in which each would finish it:
///
/// ```
/// use filch_policy::dispatch::{Dispatch, View};
/// use rand::{Rng, RngExt};
///
/// #[derive(Clone, Debug, Default)]
/// struct Sooner {
///     probes: u64,
/// }
///
/// impl Dispatch for Sooner {
///     fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
///         self.probes += 2;
///         let [a, b] = [(); 2].map(|()| rng.random_range(0..view.servers()));
///         let time = |at: usize| f64::from(view.queues()[at] + jobs) / view.speeds()[at];
///         if time(a) <= time(b) { a } else { b }
///     }
///
///     fn messages(&self) -> u64 {
///         self.probes
///     }
/// }
/// ```
///
/// Servers are numbered 0 … n−1. A policy starts with n idle servers, so a token policy holds all
/// tokens at first. From then on it is told what happens and asked what to do. The order is that of
/// a slot in PI section 2.1: jobs arrive and are routed ([`whole`](Self::whole) or
/// [`split`](Self::split)), servers serve, and those that *became* idle report it
/// ([`fell_idle`](Self::fell_idle)).
///
/// The [`View`] passed in shows the servers as they are before the batch, always all n of them. A
/// batch has at least one job: a policy is not asked in a slot without arrivals.
///
/// | method | needed by |
/// |---|---|
/// | [`whole`](Self::whole) | every policy |
/// | [`split`](Self::split) | one that spreads a batch over several servers |
/// | [`messages`](Self::messages) | one whose messages are to be counted |
/// | [`fell_idle`](Self::fell_idle), [`fell_idle_together`](Self::fell_idle_together), [`withdraw`](Self::withdraw) | one that uses tokens |
/// | [`sent`](Self::sent) | one that stands inside [`Idle`] and remembers where batches went |
/// | [`server_joined`](Self::server_joined), [`server_left`](Self::server_left) | one that remembers servers, where servers come and go |
/// | [`changed`](Self::changed) | one that keeps an index of queues or speeds |
pub trait Dispatch {
    /// The server that takes the whole batch.
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize;

    /// Spreads the batch over the servers. `out` may hold an earlier batch and is emptied first;
    /// afterwards it holds each job exactly once.
    ///
    /// By default the whole batch goes where [`whole`](Self::whole) says.
    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        out.clear();
        out.give(self.whole(jobs, view, rng), jobs);
    }

    /// How many messages the policy has cost so far, counted as in PI section 4.1: a token sent by
    /// a server is one, a probe of a queue length is one. Jobs, and tokens that travel back with
    /// them, are none.
    fn messages(&self) -> u64 {
        0
    }

    /// `server` had jobs, finished them all and sent its token. A policy that does not use tokens
    /// ignores it, at no cost in messages.
    fn fell_idle(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }

    /// All of `servers` fell idle in the same slot: as [`fell_idle`](Self::fell_idle) for each of
    /// them, in any order.
    fn fell_idle_together(&mut self, servers: &ServerBits, view: &View<'_>) {
        servers
            .iter()
            .for_each(|server| self.fell_idle(server, view));
    }

    /// The token of `server` is void: the server is not idle, or cannot be reached.
    fn withdraw(&mut self, server: usize) {
        let _ = server;
    }

    /// The previous batch went to `server` by the decision of another policy: [`Idle`] tells its
    /// fallback.
    fn sent(&mut self, server: usize) {
        let _ = server;
    }

    /// A server has joined, idle, as the last one of `view`.
    fn server_joined(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// `server` has left, and the last server, number `servers` − 1 until now, takes its number, as
    /// in [`Vec::swap_remove`](alloc::vec::Vec::swap_remove). Everything else that the policy remembers stays.
    fn server_left(&mut self, server: usize, servers: usize) {
        let _ = (server, servers);
    }

    /// The queue or the speed of `server` has changed since the policy last saw it. Only a policy
    /// that follows its servers ([`Spec::start_following`]) has to be told; the others look at the
    /// view for every batch.
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
