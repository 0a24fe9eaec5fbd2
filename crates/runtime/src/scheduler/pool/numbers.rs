//! Numbers below that of the workers, for callers that keep data by the number of a thread.
//!
//! rayon's programs rely on `current_thread_index()`: it is below `current_num_threads()`, it does
//! not change while a closure runs, and two closures that run at the same moment see different
//! ones. A pool with spare threads has more threads than numbers. So a thread *holds* a number only
//! while it runs, and lets it go while it sleeps. A worker that runs no job has its own number, its
//! index, unless another thread holds it. A spare thread, or a worker without its number, takes one
//! only when a job on it asks for its number. It keeps to that number until the job has ended, but
//! lets it go whenever it sleeps.
//!
//! A thread that wakes in the middle of a job may find its number held by another thread. It waits
//! until the holder sleeps or has ended its job. Only programs that ask for numbers pay for that.
//! A holder takes such a number only if every number is held, or reserved by a job that sleeps. On
//! upstream's core all threads would have frames on their stacks then, and the holder's job would
//! lie on top of one that waits. So a job whose number is held waits for no more than it might
//! there. A thread that runs no job waits for no number: the holder may wait for what it will run.
//!
//! The holder may itself be blocked by the thread that waits: on a lock that the waiting thread
//! holds across a `join`. Such a program must not deadlock. So a thread stops waiting for its
//! number when the system says that the holder sleeps and has used no processor time for a while.
//! Then two closures have the same number. If the holder was not blocked but slept, both may run.

use std::time::{Duration, Instant};

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, lock, thread};

/// Which thread of a pool holds which number.
pub(crate) struct Numbers {
    /// For each number the seat of its holder, plus one; zero if it has none.
    holders: Box<[AtomicUsize]>,
    /// For each number how many threads wait for it.
    wanted: Box<[AtomicUsize]>,
    /// For each number how many threads sleep in the middle of a job that has it.
    reserved: Box<[AtomicUsize]>,
    /// How many threads wait for any number.
    wanted_any: AtomicUsize,
    /// How many threads wait for a number.
    waiting: Mutex<usize>,
    changed: Condvar,
}

/// How often a thread that waits for its number looks at the holder.
#[cfg(not(shuttle))]
const LOOK: Duration = Duration::from_millis(10);
/// A holder that has not moved for so long is taken for blocked.
const BLOCKED: Duration = Duration::from_millis(30);

impl Numbers {
    /// Each worker holds its own.
    pub(super) fn new(workers: usize) -> Self {
        let own = |worker: usize| AtomicUsize::new(worker + 1);
        Self {
            holders: (0..workers).map(own).collect(),
            wanted: (0..workers).map(|_| AtomicUsize::new(0)).collect(),
            reserved: (0..workers).map(|_| AtomicUsize::new(0)).collect(),
            wanted_any: AtomicUsize::new(0),
            waiting: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    /// Takes the number for the thread of `seat`. False if another thread holds it.
    pub(crate) fn try_take(&self, number: usize, seat: usize) -> bool {
        // Ordering: SeqCst; this happens when threads sleep and wake, and is easy to argue about.
        let (success, failure) = (Ordering::SeqCst, Ordering::SeqCst);
        let taken = self.holders[number].compare_exchange(0, seat + 1, success, failure);
        taken.is_ok() || taken == Err(seat + 1)
    }

    /// Takes some number that no other thread holds or waits for, and if possible one that no other
    /// thread will go on with.
    pub(crate) fn try_take_any(&self, seat: usize) -> Option<usize> {
        let is_zero = |count: &AtomicUsize| count.load(Ordering::SeqCst) == 0;
        let is_free = |&number: &usize| is_zero(&self.wanted[number]);
        let is_unreserved = |&number: &usize| is_zero(&self.reserved[number]);
        let take = |&number: &usize| self.try_take(number, seat);
        let mut free = (0..self.holders.len()).filter(is_free);
        let mut unreserved = free.clone().filter(is_unreserved);
        unreserved.find(take).or_else(|| free.find(take))
    }

    /// A thread that is in the middle of a job with this number lets it go, and will go on with it.
    pub(crate) fn reserve(&self, number: usize) {
        self.reserved[number].fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn end_reservation(&self, number: usize) {
        self.reserved[number].fetch_sub(1, Ordering::SeqCst);
    }

    /// The thread of `seat` lets the number go, if it holds it.
    pub(crate) fn let_go(&self, number: usize, seat: usize) {
        let (success, failure) = (Ordering::SeqCst, Ordering::SeqCst);
        let held = self.holders[number].compare_exchange(seat + 1, 0, success, failure);
        if held.is_ok() {
            // A thread that begins to wait holds the lock from its last attempt on.
            let waiting = lock(&self.waiting);
            if *waiting > 0 {
                self.changed.notify_all();
            }
        }
    }

    /// Waits for the number, until its holder seems to be blocked. `look` returns `None` while the
    /// holder runs, and otherwise what changes when it runs.
    pub(crate) fn wait_for<L: PartialEq>(
        &self,
        number: usize,
        seat: usize,
        look: impl Fn() -> Option<L>,
    ) {
        self.wanted[number].fetch_add(1, Ordering::SeqCst);
        self.wait(|| self.try_take(number, seat).then_some(()), look);
        self.wanted[number].fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits for any number, until the holder that `look` looks at seems to be blocked. While that
    /// one runs, its number will be let go.
    pub(crate) fn wait_for_any<L: PartialEq>(
        &self,
        seat: usize,
        look: impl Fn() -> Option<L>,
    ) -> Option<usize> {
        self.wanted_any.fetch_add(1, Ordering::SeqCst);
        let taken = self.wait(|| self.try_take_any(seat), look);
        self.wanted_any.fetch_sub(1, Ordering::SeqCst);
        taken
    }

    /// Whether a thread waits that could use the number.
    pub(crate) fn is_wanted(&self, number: usize) -> bool {
        let wanted = [&self.wanted[number], &self.wanted_any];
        wanted
            .iter()
            .any(|wanted| wanted.load(Ordering::SeqCst) > 0)
    }

    /// Lets another thread have the number, if one waits for it. The caller, the thread of `seat`,
    /// has to take it again.
    pub(crate) fn pass_on(&self, number: usize, seat: usize) {
        self.let_go(number, seat);
        while self.is_wanted(number) && self.holder(number).is_none() {
            thread::yield_now();
        }
    }

    fn wait<T, L: PartialEq>(
        &self,
        attempt: impl Fn() -> Option<T>,
        look: impl Fn() -> Option<L>,
    ) -> Option<T> {
        let mut waiting = lock(&self.waiting);
        *waiting += 1;
        let (mut seen, mut since) = (look(), Instant::now());
        let taken = loop {
            if let Some(taken) = attempt() {
                break Some(taken);
            }
            waiting = self.wait_a_while(waiting);
            let now = look();
            if now.is_none() || now != seen {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() >= BLOCKED {
                break None;
            }
        };
        *waiting -= 1;
        taken
    }

    fn wait_a_while<'a>(
        &self,
        waiting: crate::sync::MutexGuard<'a, usize>,
    ) -> crate::sync::MutexGuard<'a, usize> {
        #[cfg(shuttle)]
        return self
            .changed
            .wait(waiting)
            .unwrap_or_else(|poison| poison.into_inner());
        #[cfg(not(shuttle))]
        match self.changed.wait_timeout(waiting, LOOK) {
            Ok((waiting, _)) => waiting,
            Err(poison) => poison.into_inner().0,
        }
    }

    /// The seat of the thread that holds the number.
    pub(crate) fn holder(&self, number: usize) -> Option<usize> {
        self.holders[number].load(Ordering::SeqCst).checked_sub(1)
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_holder() {
        let numbers = Numbers::new(2);
        assert!(!numbers.try_take(0, 5), "worker 0 holds it");
        numbers.let_go(0, 5);
        assert_eq!(numbers.holder(0), Some(0));
        numbers.let_go(0, 0);
        assert_eq!(numbers.holder(0), None);
        assert_eq!(numbers.try_take_any(5), Some(0));
        assert!(numbers.try_take(0, 5), "it holds the number already");
        assert!(!numbers.try_take(0, 0));
        assert_eq!(numbers.try_take_any(6), None);
    }

    #[test]
    fn a_number_for_which_a_thread_waits_is_kept_for_it() {
        let numbers = Numbers::new(1);
        numbers.wanted[0].store(1, Ordering::SeqCst);
        numbers.let_go(0, 0);
        assert_eq!(numbers.try_take_any(5), None);
        assert!(numbers.try_take(0, 0));
    }

    /// A holder that is blocked keeps its number, and the thread that waited goes on.
    #[test]
    fn a_blocked_holder_is_not_waited_for() {
        let numbers = Numbers::new(1);
        numbers.wait_for(0, 5, || Some(()));
        assert_eq!(numbers.holder(0), Some(0));
        assert_eq!(numbers.wait_for_any(5, || Some(())), None);
        numbers.let_go(0, 0);
        assert_eq!(numbers.wait_for_any(5, || Some(())), Some(0));
    }
}
