//! How work is taken from one worker by another.

use super::Run;
use crate::machine::replay::seats::Doing;

impl Run<'_> {
    /// Calls workers without work while there are more tasks in deques than workers on their way
    /// to them. A worker without frames comes first; if there is none, one whose frame waits and
    /// that sleeps hands its seat over.
    pub(super) fn call_thieves(&mut self) {
        while self.deques.items > self.coming {
            if let Some(at) = self.idle.pop() {
                self.come(at as usize);
            } else if !self.call_sleeper() {
                return;
            }
        }
    }

    /// The idle or waiting worker in seat `at` sets out for a task.
    fn come(&mut self, at: usize) {
        let is_awake = self.now < self.seats[at].awake_until;
        let takes = if is_awake { self.steal } else { self.wake };
        self.coming += 1;
        self.schedule(at, Doing::Comes, self.now + takes);
    }

    /// Calls a worker that sleeps while its frame waits. False if none can be called.
    fn call_sleeper(&mut self) -> bool {
        let Some(at) = self.sleeper() else {
            return false;
        };
        if self.below(at as usize).is_some() {
            self.come(at as usize);
        } else if !self.hand_over(at as usize) {
            self.asleep.push(at);
            return false;
        }
        true
    }

    /// There is a task below `frame` now: if its worker waits there in a seat, it sets out.
    pub(super) fn call_waiter(&mut self, frame: u32) {
        let waits = self.frames.get(frame);
        if !waits.syncs || waits.entry.is_some() {
            return;
        }
        let worker = &self.workers[waits.worker as usize];
        let Some(at) = worker.seat.filter(|_| worker.top() == Some(frame)) else {
            return;
        };
        let at = at as usize;
        if matches!(self.seats[at].doing, Doing::Waits | Doing::Sleeps) {
            self.come(at);
        }
    }

    /// The worker in seat `at` has come for a task.
    pub(super) fn arrive(&mut self, at: usize) {
        let victim = match self.worker(at).top() {
            None => self.deques.any(&mut self.victims),
            Some(top) if self.frames.get(top).pending == 0 => {
                self.call_thieves();
                self.go_on(at);
                return;
            }
            Some(_) => self.below(at),
        };
        let item = victim.and_then(|victim| self.deques.steal(victim));
        let Some(item) = item else {
            // It came too late.
            if self.worker(at).top().is_some() {
                self.wait(at);
            } else {
                self.run_dry(at);
            }
            self.call_thieves();
            return;
        };
        self.totals.steals += 1;
        self.begin_stolen(at, item);
        self.call_thieves();
        self.go_on(at);
    }

    /// The seat whose oldest task is below the newest frame of the worker in seat `at`.
    pub(super) fn below(&self, at: usize) -> Option<usize> {
        let top = self.worker(at).top()?;
        let (seat, root) = self.roots.source_below(self.frames.get(top).root, top)?;
        let oldest = self.deques.oldest(seat)?;
        (oldest.root == root).then_some(seat)
    }

    /// The worker in seat `at` has no frame left.
    pub(super) fn run_dry(&mut self, at: usize) {
        if self.pass_on(at) {
            return;
        }
        self.seats[at].awake_until = self.now + self.search;
        if self.deques.items > self.coming {
            self.come(at);
        } else {
            self.cancel(at, Doing::Idles);
            self.idle.push(at as u32);
        }
    }
}
