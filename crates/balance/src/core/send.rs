use std::hash::Hash;
use std::num::NonZero;

use filch_policy::dispatch::Dispatch;
use rand::RngExt;

use super::Core;
use super::exploration::MOST_PASSED_OVER;
use super::faults::Faults;
use crate::Refused;
use crate::board::Seen;

/// A request that was [sent](crate::Balancer::send) and has to be
/// [given back](crate::Balancer::give_back): what a [`Lease`](crate::Lease) is without a dispatcher
/// and a key of its own. To hold those takes four atomic operations on counts that all threads
/// share.
#[derive(Debug)]
#[must_use = "a request that is not given back is outstanding for ever"]
pub struct Sent {
    pub(crate) slot: u32,
    pub(crate) generation: NonZero<u32>,
    pub(crate) at: u64,
    /// How many servers could have been chosen.
    pub(crate) among: u32,
    found: Found,
}

/// What a request found at its server: how many of our requests, and in the highest bit whether we
/// held the server's token, which the request has used. So a [`Sent`] has no gaps, and is copied in
/// whole words.
#[derive(Clone, Copy, Debug)]
struct Found(u32);

const TOKEN: u32 = 1 << 31;

impl Sent {
    /// The [number](crate::Balancer::number_of) of the server that the request goes to.
    #[inline]
    pub fn server(&self) -> u32 {
        self.slot
    }

    /// Whether the server was known to be idle, as [`Lease::on_token`](crate::Lease::on_token)
    /// says.
    #[inline]
    pub fn on_token(&self) -> bool {
        self.found.0 & TOKEN != 0
    }

    /// How many of our requests it found at the server.
    #[inline]
    pub(crate) fn ahead(&self) -> u32 {
        self.found.0 & !TOKEN
    }
}

impl Sent {
    /// A request that a thread sends on its own, as the board shows the server.
    pub(super) fn alone(seen: &Seen, now: u64) -> Self {
        Self {
            slot: seen.slot,
            generation: seen.generation,
            at: now,
            among: 0,
            found: Found(seen.outstanding & !TOKEN),
        }
    }
}

impl<K: Eq + Hash> Core<K> {
    /// Decides where a request goes, and counts it as outstanding there.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: u64) -> Result<Sent, Refused> {
        self.look_after_some(now);
        if self.open == 0 {
            return Err(self.reason());
        }
        let at = match self.probe(now) {
            Some(at) => at,
            None => self.choose(),
        };
        Ok(self.give(at, self.open as u32, now))
    }

    /// Counts a request as outstanding at this server, which was chosen among so many.
    #[inline(always)]
    pub(super) fn give(&mut self, at: u32, among: u32, now: u64) -> Sent {
        self.counts.in_flight += 1;
        self.counts.decisions += 1;
        self.counts.sends += 1;
        let sends = self.counts.sends;
        self.counts.asking_all += u64::from(among);
        let slot = self.slot_mut(at);
        let ahead = slot.outstanding;
        slot.busy.pass(ahead, now);
        slot.outstanding += 1;
        slot.touched = now;
        slot.faults.sent_at = sends;
        let sent = Sent {
            slot: at,
            generation: slot.generation,
            at: now,
            among,
            found: Found(ahead | if slot.token { TOKEN } else { 0 }),
        };
        slot.token = false;
        self.show(at);
        self.refresh(at);
        sent
    }

    /// The server that the policy names. It may be passed over, and the policy is asked again. If
    /// all are passed over, the first has it.
    #[inline]
    fn choose(&mut self) -> u32 {
        let first = self.named();
        if self.may_have_it(first) {
            return first;
        }
        self.choose_another(first)
    }

    #[cold]
    fn choose_another(&mut self, first: u32) -> u32 {
        let mut passed_over = vec![first];
        self.avoid(&[first], true);
        let mut chosen = None;
        while chosen.is_none() && self.open > 0 && passed_over.len() <= MOST_PASSED_OVER {
            let at = self.named();
            if self.may_have_it(at) {
                chosen = Some(at);
            } else {
                passed_over.push(at);
                self.avoid(&[at], true);
            }
        }
        self.avoid(&passed_over, false);
        chosen.unwrap_or_else(|| {
            // Whatever token the policy has of it is used up.
            let place = self.slot(first).place as usize;
            self.policy.withdraw(place);
            first
        })
    }

    /// The server that the policy names among those that may be chosen.
    #[inline(always)]
    fn named(&mut self) -> u32 {
        let view = super::view(&self.queues, &self.speeds, &self.at_once);
        loop {
            let place = self.policy.whole(1, &view, &mut self.rng);
            let at = self.members[place];
            let slot = self.slots[at as usize].as_ref();
            if slot.is_some_and(|slot| slot.open) {
                return at;
            }
        }
    }

    /// Whether the server gets the request that the policy gave it: always, unless it is new and
    /// has as many as it gets so far, or fails more often than the others.
    #[inline(always)]
    fn may_have_it(&mut self, at: u32) -> bool {
        let slot = self.slot(at);
        if slot.is_starting() && self.explores {
            return false;
        }
        let faults = slot.faults;
        faults.is_free() || self.is_trusted(faults)
    }

    #[cold]
    fn is_trusted(&mut self, faults: Faults) -> bool {
        let trust = faults.trust(self.faults, self.by_key.len());
        trust >= 1.0
            || faults.is_due(self.counts.sends, self.open)
            || self.rng.random::<f64>() < trust
    }

    /// Decides among the servers that are not in `avoided`. Those leave the policy for the time of
    /// the decision: a policy that goes on with its last server forgets it, as it should after a
    /// failure.
    pub(crate) fn send_avoiding(&mut self, avoided: &[K], now: u64) -> Result<Sent, Refused> {
        if avoided.is_empty() {
            return self.send(now);
        }
        let slots: Vec<u32> = avoided
            .iter()
            .filter_map(|key| self.by_key.get(key).copied())
            .collect();
        let could_be_chosen = slots.iter().any(|&at| self.slot(at).open);
        self.avoid(&slots, true);
        let sent = self.send(now);
        self.avoid(&slots, false);
        match sent {
            Err(_) if could_be_chosen => Err(Refused::AllTried),
            sent => sent,
        }
    }

    fn avoid(&mut self, slots: &[u32], avoided: bool) {
        for &at in slots {
            self.slot_mut(at).avoided = avoided;
            self.refresh(at);
        }
    }

    fn reason(&self) -> Refused {
        if self.by_key.is_empty() {
            Refused::NoServers
        } else if self.up == 0 {
            Refused::AllDown
        } else {
            Refused::Full
        }
    }
}
