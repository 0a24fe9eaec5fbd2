/// What is known of a server from its answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// This dispatcher holds its token.
    pub(super) token: bool,
    /// It has got jobs from this dispatcher since it last had none of them.
    pub(super) engaged: bool,
    /// Its last answer left none of our jobs there and, so far, came without a token.
    pub(super) left_busy: bool,
    /// The share of such answers without a token, β, the latest counting most.
    pub(super) busy: f64,
    /// How many jobs of others are there on average, if not idle.
    pub(super) others: f64,
    /// Queue, speed and jobs at a time as they were last shown.
    pub(super) queue: u32,
    pub(super) speed: f64,
    pub(super) slots: u32,
}

/// How many answers the estimate remembers: weights fall by 1/32 from one to the next.
const MEMORY: f64 = 32.0;

/// The estimate uses no greater β. An answer tells of the moment at which it left, and what others
/// had there has changed by the next decision. In simulations of two and eight dispatchers, greater
/// bounds are worse at most loads.
const MOST_BUSY: f64 = 0.5;

/// What a job in service counts beside one that waits, while places in service are free. Above 0,
/// so that the emptier of two servers is preferred: the number of places is an estimate.
const IN_SERVICE: f64 = 0.2;

impl Heard {
    pub(super) fn idle(speed: f64) -> Self {
        Self {
            token: true,
            engaged: false,
            left_busy: false,
            busy: 0.0,
            others: 0.0,
            queue: 0,
            speed,
            slots: 1,
        }
    }

    pub(super) fn estimate(&mut self, busy: f64) {
        self.busy = busy.max(0.0);
        // Not the system's logarithm: it is the only function that would make every program over
        // the runtime load the C library's mathematics, a tenth of a millisecond at its start. It
        // also differs from system to system.
        self.others = -libm::log(1.0 - self.busy.min(MOST_BUSY));
    }

    /// None of our jobs is left there. That counts as busy until the token comes.
    pub(super) fn emptied(&mut self) {
        self.engaged = false;
        self.left_busy = true;
        self.estimate(self.busy + (1.0 - self.busy) / MEMORY);
    }

    pub(super) fn fell_idle(&mut self) {
        self.token = true;
        if self.left_busy {
            self.left_busy = false;
            self.estimate(self.busy - 1.0 / MEMORY);
        }
    }

    /// The price of the last of `jobs` more behind `queue` of ours.
    #[inline]
    pub(super) fn price(
        &self,
        queue: u32,
        jobs: u32,
        speed: f64,
        slots: u32,
        fastest: Fastest,
    ) -> f64 {
        if speed <= 0.0 {
            return f64::INFINITY;
        }
        let others = if self.token && queue == 0 {
            0.0
        } else {
            self.others
        };
        let ratio = fastest.speed / speed;
        // 0 · ∞ would be NaN for an empty queue.
        if ratio == f64::INFINITY {
            return ratio;
        }
        let ahead = f64::from(queue) + f64::from(jobs - 1) + others;
        if slots == 1 {
            return ahead * ratio + libm::sqrt(ratio);
        }
        let slots = f64::from(slots);
        let waiting = (ahead - (slots - 1.0)).max(0.0) + IN_SERVICE * ahead.min(slots - 1.0);
        1.0 + (waiting * ratio + libm::sqrt(ratio) - 1.0) / slots
    }

    pub(super) fn sent(&mut self) {
        self.token = false;
        self.engaged = true;
        self.left_busy = false;
    }
}

/// The speed that others are compared with: about that of the fastest server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fastest {
    pub(super) speed: f64,
    pub(super) server: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one dispatcher, every answer that leaves the server empty brings the token, and the
    /// estimate of others' jobs stays 0.
    #[test]
    fn alone_there_are_no_others() {
        let mut heard = Heard::idle(1.0);
        for _ in 0..100 {
            heard.sent();
            heard.emptied();
            heard.fell_idle();
        }
        assert!(heard.busy < 1e-12 && heard.others < 1e-12);
        // A token that comes without an answer (the server has been quiet for long) does not change
        // β.
        heard.estimate(0.5);
        heard.fell_idle();
        assert_eq!(heard.busy, 0.5);
    }
}
