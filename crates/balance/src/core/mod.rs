//! The dispatcher's state and what changes it, under one lock and without a clock, a thread or a
//! socket: time is passed in, and whom to wake is handed out.

mod finish;
mod housekeeping;
mod membership;
mod picture;
mod send;
mod slot;
mod speed;
mod waiting;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use filch_policy::dispatch::{Dispatch, Dispatcher, Spec, StartError as TooFew, View};
use filch_random::{Purpose, Stream};

pub(crate) use finish::End;
pub(crate) use send::Sent;
use slot::{ABSENT, Slot};
use speed::Typical;
use waiting::Waiting;

use crate::clock::whole_nanos;
use crate::state::TokenCounts;
use crate::{Options, Speeds};

/// Everything that a decision reads and an answer changes.
///
/// A server has a *slot* that stays its own until it leaves, and a *place*, its number for the
/// policy, which knows only servers that may be chosen: one that is down or full leaves the policy
/// and joins it again later, so the policy's law applies to the others unchanged. A policy that goes
/// by turns is the exception. Its order would be upset, so it keeps all servers and is asked again
/// when it names one that may not be chosen.
#[derive(Debug)]
pub(crate) struct Core<K> {
    policy: Dispatcher,
    spec: Spec,
    rng: Stream,
    speeds_are_learned: bool,
    presume_idle: u64,

    slots: Vec<Option<Slot<K>>>,
    vacant: Vec<u32>,
    by_key: HashMap<Arc<K>, u32>,
    generations: u32,
    /// How many servers are up, and how many may be chosen.
    up: usize,
    open: usize,

    /// What the policy sees, by place: the slot, its outstanding requests and its speed.
    members: Vec<u32>,
    queues: Vec<u32>,
    speeds: Vec<f64>,

    typical: Typical,
    /// The typical service time that the speeds were last made with, and how many are still to be.
    spread: f64,
    outdated: usize,
    /// The slot to look after next.
    cursor: usize,
    waiting: Waiting,
    counts: Counts,
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    in_flight: u64,
    decisions: u64,
    refused: u64,
    /// What asking every server would have cost.
    asking_all: u64,
    tokens: TokenCounts,
    /// Tokens that the policy was told of, be it for the first time or again.
    told: u64,
}

impl<K: Eq + Hash> Core<K> {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            policy: start_empty(&options.policy),
            spec: options.policy,
            rng: options.seed.stream(Purpose::named("balance"), 0, 0),
            speeds_are_learned: options.speeds == Speeds::Learned,
            presume_idle: options.presume_idle.map_or(u64::MAX, whole_nanos),
            slots: Vec::new(),
            vacant: Vec::new(),
            by_key: HashMap::new(),
            generations: 0,
            up: 0,
            open: 0,
            members: Vec::new(),
            queues: Vec::new(),
            speeds: Vec::new(),
            typical: Typical::default(),
            spread: speed::UNKNOWN,
            outdated: 0,
            cursor: 0,
            waiting: Waiting::default(),
            counts: Counts::default(),
        }
    }

    /// Nobody may be chosen for a request that came now.
    pub(crate) fn count_refusal(&mut self) {
        self.counts.refused += 1;
    }

    fn slot(&self, at: u32) -> &Slot<K> {
        self.slots[at as usize].as_ref().expect("a server's slot")
    }

    fn slot_mut(&mut self, at: u32) -> &mut Slot<K> {
        self.slots[at as usize].as_mut().expect("a server's slot")
    }

    /// The token of a server that may be chosen has arrived, or is held again.
    fn tell_token(&mut self, at: u32) {
        let place = self.slot(at).place as usize;
        let view = View::of_queues(&self.queues).with_speeds(&self.speeds);
        self.policy.fell_idle(place, &view);
        self.counts.told += u64::from(self.spec.listens());
    }

    /// Shows the policy how many requests the server has and how fast it is.
    fn show(&mut self, at: u32) {
        let slot = self.slots[at as usize].as_ref().expect("a server's slot");
        if slot.place == ABSENT {
            return;
        }
        let place = slot.place as usize;
        self.queues[place] = slot.outstanding;
        self.speeds[place] = slot.speed;
        let view = View::of_queues(&self.queues).with_speeds(&self.speeds);
        self.policy.changed(place, &view);
    }
}

/// The policy in front of no servers yet. It starts with as many as it wants at least, which leave at
/// once: a set that changes while it is used may begin empty, and sampling takes what is there.
fn start_empty(spec: &Spec) -> Dispatcher {
    let start = |servers: usize| {
        let (queues, speeds) = (vec![0; servers], vec![1.0; servers]);
        spec.start_following(&View::of_queues(&queues).with_speeds(&speeds))
    };
    let (mut policy, servers) = match start(1) {
        Ok(policy) => (policy, 1),
        Err(TooFew::TooFewServers { least, .. }) => {
            (start(least).expect("there are enough now"), least)
        }
        Err(TooFew::CannotSee { .. }) => unreachable!("queues and speeds are shown"),
    };
    for left in (1..=servers).rev() {
        policy.server_left(left - 1, left);
    }
    policy
}
