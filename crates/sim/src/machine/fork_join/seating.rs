//! Which worker sits where.

use super::seat::{Doing, Seat};
use super::worker::Worker;
use crate::machine::deque::Deque;

/// The seats with their deques, and all workers.
#[derive(Clone, Debug)]
pub(super) struct Seating {
    pub(super) seats: Vec<Seat>,
    /// The deque of each seat.
    pub(super) deques: Vec<Deque>,
    pub(super) workers: Vec<Worker>,
    /// The workers that have neither a frame nor a seat.
    spare: Vec<usize>,
    /// The seats that were given up.
    vacant: Vec<usize>,
    /// How many workers there may be.
    most_workers: usize,
}

impl Seating {
    /// P seats with a worker in each.
    pub(super) fn new(processors: usize, most_workers: usize) -> Self {
        Self {
            seats: (0..processors).map(Seat::of).collect(),
            deques: vec![Deque::new(); processors],
            workers: (0..processors).map(Worker::at).collect(),
            spare: Vec::new(),
            vacant: Vec::new(),
            most_workers,
        }
    }

    /// The worker in a seat.
    pub(super) fn worker(&mut self, at: usize) -> &mut Worker {
        &mut self.workers[self.seats[at].worker]
    }

    /// The worker in seat `at` gets up. It is spare if it has no frame.
    pub(super) fn leave(&mut self, at: usize) {
        debug_assert!(self.deques[at].is_empty(), "a task would be left behind");
        let worker = self.seats[at].worker;
        self.workers[worker].seat = None;
        if self.workers[worker].top().is_none() {
            self.spare.push(worker);
        }
    }

    /// `worker` takes the empty seat `at` and runs from step `until` on.
    pub(super) fn sit(&mut self, at: usize, worker: usize, until: u64) {
        self.workers[worker].seat = Some(at);
        self.workers[worker].home = at;
        let seat = &mut self.seats[at];
        seat.worker = worker;
        seat.doing = Doing::Wakes;
        seat.until = until;
        seat.stranded_since = None;
    }

    /// A worker without frames and without a seat, and whether it is new.
    pub(super) fn spare(&mut self) -> Option<(usize, bool)> {
        if let Some(spare) = self.spare.pop() {
            return Some((spare, false));
        }
        if self.workers.len() >= self.most_workers {
            return None;
        }
        self.workers.push(Worker::default());
        Some((self.workers.len() - 1, true))
    }

    /// How many seats there are.
    pub(super) fn count(&self) -> usize {
        self.seats.len() - self.vacant.len()
    }

    /// A seat more, for `worker` to sit in.
    pub(super) fn add_seat(&mut self, worker: usize) -> usize {
        self.vacant.pop().unwrap_or_else(|| {
            self.seats.push(Seat::of(worker));
            self.deques.push(Deque::new());
            self.seats.len() - 1
        })
    }

    /// The seat `at`, which its worker has left, is given up.
    pub(super) fn give_up(&mut self, at: usize) {
        self.seats[at].doing = Doing::Vacant;
        self.vacant.push(at);
    }
}
