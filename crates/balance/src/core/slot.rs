use std::mem::offset_of;
use std::num::NonZero;
use std::sync::Arc;

use super::concurrency::BusyPlaces;
use super::exploration::WARM;
use super::faults::Faults;
use super::newest_word::NewestWord;
use super::speed::Learned;
use crate::Server;

/// What is known about one server.
///
/// A dispatcher shares the caches with all that its process does between two requests, so that a
/// decision waits for most of what it reads. The fields are in the order of their use: a decision
/// has to have two or three cache lines of a slot, housekeeping three, and an answer seven.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Slot<K> {
    // The first line: what is read whenever a slot is.
    pub(crate) word: NewestWord,
    pub(crate) outstanding: u32,
    /// Distinguishes leases of this server from leases of an earlier server in the same slot.
    pub(crate) generation: NonZero<u32>,
    /// Its number for the policy; [`ABSENT`] if the policy does not see it.
    pub(crate) place: u32,
    /// Good answers since it joined or came up, up to [`WARM`].
    pub(crate) warmth: u32,
    /// Whether it may be chosen; the policy has been told.
    pub(crate) open: bool,
    /// Whether we hold its token.
    pub(crate) token: bool,
    pub(crate) up: bool,
    pub(crate) ready: bool,
    /// Left out of the present decision.
    pub(crate) avoided: bool,
    /// Whether its tokens are believed.
    pub(crate) believed: bool,
    /// It may be working on an abandoned request, so that nothing is learned from its next answer.
    pub(crate) disturbed: bool,

    // The second line: what a decision reads or changes besides.
    /// When a lease of it was last given out or came back.
    pub(crate) touched: u64,
    /// The speed that the policy sees, and how many requests it serves at a time.
    pub(crate) speed: f64,
    pub(crate) at_once: u32,
    pub(crate) limit: u32,
    pub(crate) weight: f64,
    /// The highest speed that it has been known to have, slowly forgotten.
    pub(crate) best: f64,
    pub(crate) faults: Faults,
    /// How long it has been busy since its last answer. Until when that is known is in the second
    /// line, the times are the third.
    pub(crate) busy: BusyPlaces,

    // Four more: what an answer changes.
    pub(crate) learned: Learned,
    pub(crate) served: u64,

    // The last line: what requests seldom need.
    pub(crate) key: Arc<K>,
    pub(crate) failed: u64,
    /// When it joined or came up.
    pub(crate) since: u64,
}

/// The lines are where the fields' comments say that they are.
const _: () = {
    assert!(offset_of!(Slot<()>, touched) == 64);
    assert!(offset_of!(Slot<()>, busy) == 120);
    assert!(offset_of!(Slot<()>, learned) == 192);
    assert!(offset_of!(Slot<()>, key) == 448);
    assert!(size_of::<Option<Slot<()>>>() == 512);
};

pub(crate) const ABSENT: u32 = u32::MAX;

impl<K> Slot<K> {
    /// A server that joins. It is taken for idle, as PI takes all servers at the start.
    pub(crate) fn new(server: Server<K>, generation: NonZero<u32>, now: u64) -> Self {
        let mut slot = Self {
            key: Arc::new(server.key),
            generation,
            place: ABSENT,
            open: false,
            outstanding: 0,
            token: true,
            up: true,
            ready: true,
            avoided: false,
            limit: 0,
            weight: 1.0,
            believed: false,
            word: NewestWord::default(),
            faults: Faults::default(),
            learned: Learned::default(),
            speed: 1.0,
            at_once: 1,
            touched: now,
            busy: BusyPlaces::default(),
            disturbed: false,
            warmth: 0,
            since: now,
            best: 0.0,
            served: 0,
            failed: 0,
        };
        slot.configure(server.weight, server.limit, server.tokens);
        slot
    }

    /// Sets what may change while everything that was learned stays.
    pub(crate) fn configure(&mut self, weight: Option<f64>, limit: Option<u32>, believed: bool) {
        self.weight = weight.unwrap_or(1.0);
        self.limit = limit.unwrap_or(u32::MAX);
        self.believed = believed;
    }

    /// Whether the server may be chosen. [`open`](Self::open) follows it.
    pub(crate) fn may_be_chosen(&self) -> bool {
        self.up && self.ready && !self.avoided && self.outstanding < self.limit
    }

    /// Whether the server is new and has as many requests as it gets so far.
    pub(crate) fn is_starting(&self) -> bool {
        self.warmth < WARM && self.outstanding > self.warmth
    }

    /// Whether we have held no token of it and sent it nothing for this many nanoseconds.
    pub(crate) fn is_quiet(&self, now: u64, nanos: u64) -> bool {
        self.up && !self.token && self.outstanding == 0 && now.saturating_sub(self.touched) >= nanos
    }
}
