use core::ops::Index;
use std::sync::OnceLock;

use filch_deque::{Owner, Padded, deque};

use crate::scheduler::job::JobHead;
use crate::scheduler::worker::Seat;
use crate::sleep::Tally;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The seats of a pool: those of its workers, and then those of the spare threads that have been
/// started.
pub(crate) struct Seats {
    workers: Box<[Padded<Seat>]>,
    /// Each comes into being with its thread.
    spares: Box<[OnceLock<Box<Padded<Seat>>>]>,
    /// How many spare ones there are.
    started: AtomicUsize,
}

impl Seats {
    /// With the deque of each worker.
    pub(crate) fn new(
        workers: usize,
        spares: usize,
        tally: &Arc<Tally>,
    ) -> (Self, Vec<Owner<JobHead>>) {
        let (owners, seats): (Vec<_>, Vec<_>) = (0..workers).map(|_| seat(tally)).unzip();
        let seats = Self {
            workers: seats.into(),
            spares: (0..spares).map(|_| OnceLock::new()).collect(),
            started: AtomicUsize::new(0),
        };
        (seats, owners)
    }

    /// The seat of another spare thread, with its deque. For one thread at a time.
    ///
    /// # Panics
    ///
    /// If there is no room.
    pub(super) fn add(&self, tally: &Arc<Tally>) -> (usize, Owner<JobHead>) {
        let started = self.started.load(Ordering::SeqCst);
        let (owner, seat) = seat(tally);
        let is_new = self.spares[started].set(Box::new(seat)).is_ok();
        assert!(is_new, "spare threads are started one at a time");
        // Ordering: SeqCst, as everything by which a pool finds out that all is done. It also
        // publishes the seat.
        self.started.store(started + 1, Ordering::SeqCst);
        (self.workers.len() + started, owner)
    }

    pub(crate) fn workers(&self) -> &[Padded<Seat>] {
        &self.workers
    }

    /// How many of them have a thread that has started.
    pub(crate) fn started(&self) -> usize {
        self.iter().filter(|seat| !seat.is_without_thread()).count()
    }

    /// Those of the spare threads.
    pub(crate) fn spares(&self) -> impl Iterator<Item = &Seat> {
        (self.workers.len()..self.len()).map(|index| &self[index])
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.workers.len() + self.started.load(Ordering::SeqCst)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Seat> {
        (0..self.len()).map(|index| &self[index])
    }

    /// How many there can ever be.
    pub(crate) fn capacity(&self) -> usize {
        self.workers.len() + self.spares.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Seat> {
        match self.workers.get(index) {
            Some(seat) => Some(seat),
            None => self
                .spares
                .get(index - self.workers.len())?
                .get()
                .map(|seat| &***seat),
        }
    }
}

fn seat(tally: &Arc<Tally>) -> (Owner<JobHead>, Padded<Seat>) {
    let (owner, thief) = deque();
    (owner, Padded(Seat::new(thief, tally)))
}

impl Index<usize> for Seats {
    type Output = Seat;

    fn index(&self, index: usize) -> &Seat {
        self.get(index).expect("a thread sits there")
    }
}
