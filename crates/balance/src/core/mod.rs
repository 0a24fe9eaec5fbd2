//! The dispatcher's state and all that changes it. One thread at a time has it, and it knows no
//! clock, thread or socket: time is passed in, and waiters to wake are handed out.

mod alone;
mod carry;
mod change;
mod concurrency;
mod exploration;
mod faults;
mod finish;
mod housekeeping;
mod logarithm;
mod membership;
mod newest_word;
mod preferred;
mod send;
mod slot;
mod speed;
mod state;
mod waiting_room;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use filch_policy::dispatch::{Dispatch, Dispatcher, Spec, StartError, View};
use filch_random::{Purpose, Stream};

pub(crate) use alone::Alone;
pub(crate) use change::Change;
pub use finish::LeaseEnd;
pub(crate) use preferred::Preferred;
pub use send::Sent;
pub(crate) use waiting_room::{Ask, Tried};

use exploration::Probes;
use faults::AllFaults;
use slot::{ABSENT, Slot};
use speed::Typical;
use waiting_room::WaitingRoom;

use crate::board::Board;
use crate::clock::whole_nanos;
use crate::{Options, Speeds, TokenCounts};

/// Everything that a decision reads and an answer changes.
///
/// A server has a *slot*, which is its own until it leaves, and a *place*, its number for the
/// policy. The policy knows only servers that may be chosen: a server that is down or full leaves
/// the policy and joins it again later, so that the policy's rule applies unchanged to the others.
/// Policies that go by turns are the exception. Leaving and joining would upset their order, so
/// they keep all servers and are asked again when they name one that may not be chosen.
#[derive(Debug)]
pub(crate) struct Core<K> {
    policy: Dispatcher,
    spec: Spec,
    rng: Stream,
    speeds_are_learned: bool,
    presume_idle: u64,
    /// Whether servers are probed that the policy does not choose.
    explores: bool,
    probes: Probes,

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
    at_once: Vec<u32>,

    faults: AllFaults,
    typical: Typical,
    /// The typical service time that the speeds were last computed with, and how many speeds are
    /// still to be computed again.
    spread: f64,
    outdated: usize,
    /// The slot to look after next.
    cursor: usize,
    /// Until when no server has to be looked after; see [`housekeeping`].
    calm_until: u64,
    /// The same by the servers that were looked after in this round.
    calm_so_far: u64,
    room: WaitingRoom,
    counts: CoreCounts,
    board: Arc<Board>,
}

#[derive(Clone, Copy, Debug, Default)]
struct CoreCounts {
    in_flight: u64,
    /// Requests that were sent, those included that came back unsent.
    sends: u64,
    decisions: u64,
    refused: u64,
    /// Requests that were sent without asking the policy.
    alone: u64,
    /// The messages that asking every server would have cost.
    asking_all: u64,
    tokens: TokenCounts,
    /// Tokens that the policy was told of, whether for the first time or again.
    told: u64,
}

impl<K: Eq + Hash> Core<K> {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            policy: start_empty(&options.policy),
            spec: options.policy,
            rng: options.seed.stream(Purpose::named("balance"), 0, 0),
            speeds_are_learned: options.speeds == Speeds::Learned,
            explores: options.speeds == Speeds::Learned && exploration::explores(&options.policy),
            probes: Probes::default(),
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
            at_once: Vec::new(),
            faults: AllFaults::default(),
            typical: Typical::default(),
            spread: speed::UNKNOWN,
            outdated: 0,
            cursor: 0,
            calm_until: 0,
            calm_so_far: 0,
            room: WaitingRoom::default(),
            counts: CoreCounts::default(),
            board: Arc::default(),
        }
    }

    /// A request that does not wait got no server.
    pub(crate) fn count_refusal(&mut self) {
        self.counts.refused += 1;
    }

    /// The key of the server that a request was sent to, unless the server has left.
    pub(crate) fn key_of(&self, sent: &Sent) -> Option<Arc<K>> {
        let slot = self.slots.get(sent.slot as usize)?.as_ref()?;
        (slot.generation == sent.generation).then(|| slot.key.clone())
    }

    /// The key of the server that a request has just been sent to.
    #[inline]
    pub(crate) fn key_of_new(&self, sent: &Sent) -> Arc<K> {
        self.slot(sent.slot).key.clone()
    }

    /// The server's number, which is its own until it leaves.
    pub(crate) fn number_of(&self, key: &K) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    #[inline]
    fn slot(&self, at: u32) -> &Slot<K> {
        self.slots[at as usize].as_ref().expect("a server's slot")
    }

    #[inline]
    fn slot_mut(&mut self, at: u32) -> &mut Slot<K> {
        self.slots[at as usize].as_mut().expect("a server's slot")
    }

    /// Tells the policy that we hold the token of a server that may be chosen.
    #[inline(always)]
    fn tell_token(&mut self, at: u32) {
        let place = self.slot(at).place as usize;
        let view = view(&self.queues, &self.speeds, &self.at_once);
        self.policy.fell_idle(place, &view);
        self.counts.told += u64::from(self.spec.listens());
    }

    /// Shows the policy how many requests the server has and how fast it is.
    #[inline(always)]
    fn show(&mut self, at: u32) {
        let slot = self.slots[at as usize].as_ref().expect("a server's slot");
        if slot.place == ABSENT {
            return;
        }
        let place = slot.place as usize;
        self.queues[place] = slot.outstanding;
        self.speeds[place] = slot.speed;
        self.at_once[place] = slot.at_once;
        let view = view(&self.queues, &self.speeds, &self.at_once);
        self.policy.changed(place, &view);
    }
}

/// What the policy sees.
#[inline]
fn view<'a>(queues: &'a [u32], speeds: &'a [f64], at_once: &'a [u32]) -> View<'a> {
    View::of_queues(queues)
        .with_speeds(speeds)
        .with_slots(at_once)
}

/// The policy in front of no servers. It starts with the least number of servers that it accepts,
/// and these leave at once: here servers may come and go, and a policy that samples takes what is
/// there.
fn start_empty(spec: &Spec) -> Dispatcher {
    let start = |servers: usize| {
        let (queues, speeds) = (vec![0; servers], vec![1.0; servers]);
        spec.start_following(&View::of_queues(&queues).with_speeds(&speeds))
    };
    let (mut policy, servers) = match start(1) {
        Ok(policy) => (policy, 1),
        Err(StartError::TooFewServers { least, .. }) => {
            (start(least).expect("there are enough now"), least)
        }
        Err(StartError::CannotSee { .. }) => unreachable!("queues and speeds are shown"),
    };
    for remaining in (1..=servers).rev() {
        policy.server_left(remaining - 1, remaining);
    }
    policy
}
