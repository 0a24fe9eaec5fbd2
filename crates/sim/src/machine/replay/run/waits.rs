//! What a worker does whose newest frame waits for stolen tasks.

use super::Run;
use crate::machine::replay::seats::{Doing, Worker};

impl Run<'_> {
    /// The newest frame of the worker in seat `at` waits. The worker takes what is below it, or
    /// waits awake for as long as its patience lasts.
    pub(super) fn wait(&mut self, at: usize) {
        if self.pass_on(at) {
            return;
        }
        let until = self.now + self.patience;
        self.seats[at].awake_until = until;
        if self.below(at).is_some() {
            self.coming += 1;
            self.schedule(at, Doing::Comes, self.now + self.steal);
        } else {
            self.schedule(at, Doing::Waits, until);
        }
    }

    /// The patience of the worker in seat `at` is over. It hands its seat over if there is a task
    /// for which no worker comes, and sleeps.
    pub(super) fn fall_asleep(&mut self, at: usize) {
        if self.deques.items > self.coming && self.hand_over(at) {
            return;
        }
        self.cancel(at, Doing::Sleeps);
        self.asleep.push(at as u32);
    }

    /// The worker in seat `at` gives it to a spare worker, which comes for a task. False if there
    /// may be no further worker.
    pub(super) fn hand_over(&mut self, at: usize) -> bool {
        let (spare, start) = match self.spare.pop() {
            Some(spare) => (spare, 0),
            None if self.workers.len() < self.most_workers => {
                self.workers.push(Worker::default());
                (self.workers.len() as u32 - 1, self.start)
            }
            None => return false,
        };
        self.totals.hand_overs += 1;
        self.coming += 1;
        let time = self.now + self.wake + start;
        self.reseat(at, spare, Doing::Comes, time);
        true
    }

    /// Gives the seat `at`, whose worker has nothing to run, to a worker that has.
    pub(super) fn pass_on(&mut self, at: usize) -> bool {
        let Some(ready) = self.ready.pop_front() else {
            return false;
        };
        self.reseat(at, ready, Doing::Works, self.now + self.wake);
        true
    }

    /// The frame `number` waited and can go on.
    pub(super) fn wake_waiter(&mut self, number: u32) {
        let worker = self.frames.get(number).worker;
        let waiter = &self.workers[worker as usize];
        if waiter.top() != Some(number) {
            return;
        }
        let Some(at) = waiter.seat else {
            // A seat whose worker has nothing to run is as good as the one of the worker that has
            // just ended the task, which has nothing to run either then.
            match self.idle.pop().or_else(|| self.sleeper()) {
                Some(at) => self.reseat(at as usize, worker, Doing::Works, self.now + self.wake),
                None => self.ready.push_back(worker),
            }
            return;
        };
        let at = at as usize;
        let is_awake = self.now < self.seats[at].awake_until;
        match self.seats[at].doing {
            // Its own worker has just run the task.
            Doing::Works => {}
            Doing::Comes if !is_awake => {}
            Doing::Comes | Doing::Waits | Doing::Sleeps => {
                let takes = if is_awake { 0 } else { self.wake };
                self.cancel(at, Doing::Works);
                self.schedule(at, Doing::Works, self.now + takes);
                self.call_thieves();
            }
            Doing::Idles => unreachable!("a worker with a frame is not idle"),
        }
    }

    /// A seat whose worker sleeps while its frame waits. It leaves the list of them.
    pub(super) fn sleeper(&mut self) -> Option<u32> {
        while let Some(at) = self.asleep.pop() {
            if self.seats[at as usize].doing == Doing::Sleeps {
                return Some(at);
            }
        }
        None
    }

    /// Nothing will happen any more, though there is work: all workers wait, and there may be no
    /// further ones. Scopes with children of children can come to that. One waiting worker then
    /// runs a task that is not below its frame.
    pub(super) fn unblock(&mut self) {
        let victim = self.deques.any(&mut self.victims);
        let item = victim.and_then(|victim| self.deques.steal(victim));
        let item = item.expect("work that is not done is in a deque or runs");
        let waits = |seat: &super::Seat| seat.doing == Doing::Sleeps;
        let at = self
            .seats
            .iter()
            .position(waits)
            .expect("a worker that waits");
        self.begin_stolen(at, item);
        self.schedule(at, Doing::Works, self.now + self.wake);
    }
}
