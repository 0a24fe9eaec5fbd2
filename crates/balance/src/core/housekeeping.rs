use std::hash::Hash;

use super::Core;

/// A server's speed is weighed anew at most so often.
const AGE_AFTER: u64 = 1_000_000_000;

impl<K: Eq + Hash> Core<K> {
    /// Every decision looks after one server, the next in turn: so the work is spread evenly, and no
    /// decision ever waits for a sweep over thousands of servers.
    pub(super) fn look_after_one(&mut self, now: u64) {
        if self.slots.is_empty() {
            return;
        }
        let at = self.cursor as u32;
        self.cursor = (self.cursor + 1) % self.slots.len();
        let (presume, learned) = (self.presume_idle, self.speeds_are_learned);
        let typical = self.typical.service();
        let Some(slot) = &mut self.slots[at as usize] else {
            return;
        };
        let mut speed = slot.speed;
        if learned && slot.learned.silent_for(now) >= AGE_AFTER {
            slot.learned.age(now);
            speed = slot.learned.speed(typical / slot.weight, slot.believed);
        }
        let presumed = slot.is_quiet(now, presume);
        if presumed {
            slot.token = true;
            slot.touched = now;
        }
        let open = slot.open;
        if !(0.95..=1.05).contains(&(speed / slot.speed)) {
            slot.speed = speed;
            self.show(at);
        }
        if presumed {
            self.counts.tokens.presumed += 1;
            if open {
                self.tell_token(at);
            }
        }
    }
}
