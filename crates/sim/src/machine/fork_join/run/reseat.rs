//! How seats go from worker to worker.

use filch_workload::dag::{ThreadId, Unfold};

use super::ForkJoinRun;
use crate::machine::fork_join::rule::{Rule, WayBack};
use crate::machine::observe::{Event, Observer};

impl<U: Unfold, O: Observer> ForkJoinRun<'_, U, O> {
    /// `frame` is ready, because the worker in seat `at` has completed a stolen task. If it is the
    /// newest frame of a worker without a seat, that worker gets one. The other has nothing to run
    /// itself: the task was the newest on its stack, and what it may wait for further down is above
    /// the frame that is ready now.
    pub(super) fn wake(&mut self, frame: ThreadId, at: usize) {
        let Rule::HandOver(back) = self.machine.rule else {
            return;
        };
        let waiting = self.tasks.worker(frame);
        let worker = &self.seating.workers[waiting];
        if worker.seat.is_some() || worker.top() != Some(frame) {
            return;
        }
        match back {
            WayBack::Passed => self.reseat(at, waiting, self.machine.costs.wake),
            WayBack::Extra => {
                let seat = self.seating.add_seat(waiting);
                self.sit(seat, waiting, self.machine.costs.wake);
            }
            WayBack::Own => {
                let home = self.seating.workers[waiting].home;
                self.seating.seats[home].wanted.push_back(waiting);
                self.seatless += 1;
            }
        }
    }

    /// A worker without frames may have to leave its seat; returns whether it did.
    pub(super) fn stands_up(&mut self, at: usize) -> bool {
        match self.machine.rule {
            Rule::HandOver(WayBack::Extra) if self.seating.count() > self.machine.processors => {
                self.leave(at);
                self.seating.give_up(at);
                true
            }
            Rule::HandOver(WayBack::Own) => self.gives_back(at),
            _ => false,
        }
    }

    /// Hands seat `at` to a worker that wants it back, if there is one.
    pub(super) fn gives_back(&mut self, at: usize) -> bool {
        let Some(next) = self.seating.seats[at].wanted.pop_front() else {
            return false;
        };
        self.seatless -= 1;
        self.reseat(at, next, self.machine.costs.wake);
        true
    }

    /// The worker in seat `at` gets up for `next`.
    pub(super) fn reseat(&mut self, at: usize, next: usize, delay: u64) {
        self.leave(at);
        self.sit(at, next, delay);
    }

    fn leave(&mut self, at: usize) {
        let worker = self.seating.seats[at].worker;
        self.seating.leave(at);
        self.tell(Event::Left {
            processor: at,
            worker,
        });
    }

    fn sit(&mut self, at: usize, worker: usize, delay: u64) {
        let until = self.totals.time + delay;
        self.seating.sit(at, worker, until);
        self.tell(Event::Sat {
            processor: at,
            worker,
        });
    }
}
