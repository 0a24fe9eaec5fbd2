use std::sync::Arc;

use super::concurrency::BusyPlaces;
use super::exploration::WARM;
use super::faults::Faults;
use super::newest_word::NewestWord;
use super::speed::Learned;
use crate::Server;

/// What is known about one server.
#[derive(Debug)]
pub(crate) struct Slot<K> {
    pub(crate) key: Arc<K>,
    /// Distinguishes leases of this server from leases of an earlier server in the same slot.
    pub(crate) generation: u32,
    /// Its number for the policy; [`ABSENT`] if the policy does not see it.
    pub(crate) place: u32,
    /// Whether it may be chosen; the policy has been told.
    pub(crate) open: bool,
    pub(crate) outstanding: u32,
    /// Whether we hold its token.
    pub(crate) token: bool,
    pub(crate) up: bool,
    pub(crate) ready: bool,
    /// Left out of the present decision.
    pub(crate) avoided: bool,
    pub(crate) limit: u32,
    pub(crate) weight: f64,
    /// Whether its tokens are believed.
    pub(crate) believed: bool,
    pub(crate) word: NewestWord,
    pub(crate) faults: Faults,
    pub(crate) learned: Learned,
    /// The speed that the policy sees, and how many requests it serves at a time.
    pub(crate) speed: f64,
    pub(crate) at_once: u32,
    /// When a lease of it was last given out or came back.
    pub(crate) touched: u64,
    /// How long it has been busy since its last answer.
    pub(crate) busy: BusyPlaces,
    /// It may be working on an abandoned request, so that nothing is learned from its next answer.
    pub(crate) disturbed: bool,
    /// Good answers since it joined or came up, up to [`WARM`].
    pub(crate) warmth: u32,
    /// When it joined or came up.
    pub(crate) since: u64,
    /// The highest speed that it has been known to have, slowly forgotten.
    pub(crate) best: f64,
    pub(crate) served: u64,
    pub(crate) failed: u64,
}

pub(crate) const ABSENT: u32 = u32::MAX;

impl<K> Slot<K> {
    /// A server that joins. It is taken for idle, as PI takes all servers at the start.
    pub(crate) fn new(server: Server<K>, generation: u32, now: u64) -> Self {
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
