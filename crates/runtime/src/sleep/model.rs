//! Every interleaving of the [steps](super::steps) in small pools, under loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p filch --lib --release`.
//!
//! The steps, the counts, the attention, the parkers and the latches are the real ones. A deque is the
//! number of its items, and whoever forks here never takes one back: it goes on only when others
//! have taken them. So a lost wake-up is a deadlock, which loom reports.
//!
//! loom takes SeqCst accesses for AcqRel ones; only its fences are as strong as ours. LIGHT and HEAVY are those of the
//! deque's models, in which LIGHT pairs with nothing less than HEAVY.
#![allow(unsafe_code, reason = "latches are set and reached by pointers")]

use std::sync::Arc;

use filch_deque::asymmetric::Light;
use loom::cell::UnsafeCell;
use loom::sync::{Condvar, Mutex};
use loom::thread;

use super::{Attention, Parker, Sleep, steps};
use crate::latch::{Bed, Latch};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
use crate::sync::spin_loop;

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.check(check);
}

const PREEMPTIONS: usize = 3;

/// A pool in which the workers with the highest numbers fork and the others come for it.
struct Pool {
    sleep: Sleep,
    workers: Vec<Worker>,
}

struct Worker {
    attention: Attention,
    parker: Parker,
    items: AtomicUsize,
    queue: AtomicUsize,
    root: AtomicPtr<Latch>,
    bed: Bed,
    /// What only the worker may touch, or who is in its place.
    own: UnsafeCell<usize>,
}

// SAFETY: loom watches `own`; the rest may be shared.
unsafe impl Sync for Worker {}

impl Pool {
    fn new(workers: usize) -> Arc<Self> {
        Arc::new(Self {
            sleep: Sleep::new(),
            workers: (0..workers).map(|_| Worker::new()).collect(),
        })
    }

    fn wake_any(&self) {
        if let Some(index) = self.sleep.take_any() {
            self.workers[index].parker.unpark();
        }
    }

    /// As `Shared::dispatch` in the runtime.
    fn dispatch(&self, index: usize) {
        self.workers[index].queue.fetch_add(1, Ordering::SeqCst);
        if self.sleep.take(index) {
            self.workers[index].parker.unpark();
        }
    }

    fn everybody(&self) -> impl ExactSizeIterator<Item = &Attention> {
        self.workers.iter().map(|worker| &worker.attention)
    }

    fn is_anything_to_do(&self, index: usize) -> bool {
        self.workers.iter().any(Worker::has_items)
            || self.workers[index].queue.load(Ordering::SeqCst) > 0
    }

    /// As `fork` in the runtime, whose push passes LIGHT.
    fn fork(&self, index: usize) {
        let worker = &self.workers[index];
        worker.items.fetch_add(1, Ordering::Release);
        Light::settled().fence();
        self.attend(index);
    }

    fn attend(&self, index: usize) {
        let worker = &self.workers[index];
        if worker.attention.is_wanted() {
            let (wake_one, root) = (|| self.wake_any(), || worker.root());
            steps::attend(&self.sleep, &worker.attention, || (), wake_one, root);
        }
    }

    /// As `Worker::search` in the runtime, until one item or job was found.
    fn work_once(&self, index: usize) {
        self.sleep.begin_search();
        self.search_until_found(index);
    }

    fn search_until_found(&self, index: usize) {
        self.workers[index].touch_own();
        while !self.find(index) {
            self.workers[index].touch_own();
            let anything = || self.is_anything_to_do(index);
            let parker = &self.workers[index].parker;
            steps::sleep_idle(
                &self.sleep,
                index,
                self.everybody(),
                anything,
                || parker.doze(),
                || parker.park(),
                spin_loop,
            );
        }
        self.workers[index].touch_own();
        self.found(index);
    }

    fn found(&self, index: usize) {
        let anything = || self.is_anything_to_do(index);
        let wake_one = || self.wake_any();
        steps::end_search(&self.sleep, self.everybody(), anything, wake_one);
    }

    /// As `Lent` in the runtime: a thread from outside takes the place of a worker that sleeps, forks, and gives
    /// the place back. False if nobody sleeps.
    fn in_the_place_of_a_sleeper(&self, forks: bool) -> bool {
        let Some(index) = self.sleep.take_any() else {
            return false;
        };
        self.workers[index].touch_own();
        self.found(index);
        if forks {
            self.fork(index);
        }
        self.workers[index].touch_own();
        self.sleep.begin_search();
        let anything = || self.is_anything_to_do(index);
        let wake = || self.workers[index].parker.unpark();
        let (doze, park) = (|| false, || ());
        steps::sleep_idle(
            &self.sleep,
            index,
            self.everybody(),
            anything,
            doze,
            park,
            wake,
        );
        true
    }

    fn find(&self, index: usize) -> bool {
        take_one(&self.workers[index].queue)
            || self.workers.iter().any(|worker| take_one(&worker.items))
    }

    /// As `Worker::wait_for` in the runtime.
    fn wait_for(&self, latch: &Latch, index: usize, mut taken: impl FnMut()) {
        while !latch.is_set() {
            if self.workers.iter().any(|worker| worker.take_below(latch)) {
                taken();
            } else {
                let parker = &self.workers[index].parker;
                steps::sleep_below(
                    latch,
                    parker,
                    self.everybody(),
                    || self.workers.iter().any(|worker| worker.has_below(latch)),
                    || parker.doze(),
                    || parker.park(),
                );
            }
        }
    }
}

impl Worker {
    fn new() -> Self {
        Self {
            attention: Attention::new(),
            parker: Parker::new(),
            items: AtomicUsize::new(0),
            queue: AtomicUsize::new(0),
            root: AtomicPtr::new(core::ptr::null_mut()),
            bed: Bed::new(),
            own: UnsafeCell::new(0),
        }
    }

    /// loom reports it if another thread does so at the same time.
    fn touch_own(&self) {
        self.own.with_mut(|own| {
            // SAFETY: that nobody else does is what the model is about; loom watches.
            unsafe { *own += 1 }
        });
    }

    fn has_items(&self) -> bool {
        self.items.load(Ordering::Acquire) > 0
    }

    fn is_below(&self, latch: &Latch) -> bool {
        core::ptr::eq(self.root.load(Ordering::Acquire), latch)
    }

    fn has_below(&self, latch: &Latch) -> bool {
        self.is_below(latch) && self.has_items()
    }

    fn take_below(&self, latch: &Latch) -> bool {
        self.is_below(latch) && take_one(&self.items)
    }

    fn root<'latch>(&self) -> Option<&'latch Latch> {
        let root = self.root.load(Ordering::Relaxed);
        // SAFETY: the latches of these models outlive their workers.
        unsafe { root.as_ref() }
    }

    /// As `Worker::under` in the runtime.
    fn take_root(&self, latch: &Latch) {
        let address = core::ptr::from_ref(latch).cast_mut();
        self.root.store(address, Ordering::Release);
        steps::start(latch, &self.attention);
    }
}

/// A look, and an item if there seems to be one. The look may be out of date.
fn take_one(items: &AtomicUsize) -> bool {
    let seen = items.load(Ordering::Acquire);
    seen > 0
        && items
            .compare_exchange(seen, seen - 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
}

/// Where a worker that has forked waits until the item was taken.
#[derive(Default)]
struct Taken {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Taken {
    fn one(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_one();
    }

    fn wait_for(&self, count: usize) {
        let mut taken = self.count.lock().unwrap();
        while *taken < count {
            taken = self.changed.wait(taken).unwrap();
        }
    }
}

#[test]
fn an_idle_worker_and_a_fork() {
    model(|| {
        let pool = Pool::new(2);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// Both have to come. Whoever is woken for the first item passes the call on.
#[test]
fn two_idle_workers_and_two_forks() {
    model(|| {
        let pool = Pool::new(3);
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        pool.fork(2);
        pool.fork(2);
        for worker in idle {
            worker.join().unwrap();
        }
    });
}

/// Two that fork one item each, and one that comes twice.
#[test]
fn an_idle_worker_and_two_that_fork() {
    model(|| {
        let pool = Pool::new(3);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        let forking = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.fork(1)
        });
        pool.fork(2);
        idle.join().unwrap();
        forking.join().unwrap();
    });
}

/// A worker lowers its attention, because somebody has only asked, while another falls asleep.
#[test]
fn attention_lowered_while_another_falls_asleep() {
    model(|| {
        let pool = Pool::new(2);
        pool.workers[1].attention.raise();
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        pool.fork(1);
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// The last searcher has found a job while a worker forks that still counts on it, and a third sleeps.
/// The worker that forks has lowered its attention before, because of the searcher.
#[test]
fn the_last_searcher_and_a_fork() {
    model(|| {
        let pool = Pool::new(3);
        // Worker 0 searches, and worker 1 is asleep.
        pool.sleep.begin_search();
        pool.sleep.begin_search();
        let _ = pool.sleep.enter(1);
        let searching = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.found(0)
        });
        let asleep = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.workers[1].parker.park();
                pool.search_until_found(1);
            }
        });
        pool.fork(2);
        searching.join().unwrap();
        asleep.join().unwrap();
    });
}

/// One falls asleep, with or without HEAVY, while the other, who searches too, finds a job and forks.
#[test]
fn a_worker_that_falls_asleep_and_one_that_stops_searching() {
    model(|| {
        let pool = Pool::new(2);
        pool.sleep.begin_search();
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.found(1);
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// The same with a third who searches, falls asleep, and has to come for the second item.
#[test]
fn two_workers_that_fall_asleep_and_one_that_stops_searching() {
    model(|| {
        let pool = Pool::new(3);
        pool.sleep.begin_search();
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        pool.found(2);
        pool.fork(2);
        pool.fork(2);
        for worker in idle {
            worker.join().unwrap();
        }
    });
}

/// The job is put into the queue before the lock of the sleepers is taken.
#[test]
fn an_idle_worker_and_a_job() {
    model(|| {
        let pool = Pool::new(1);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.dispatch(0);
        idle.join().unwrap();
    });
}

/// A job and a fork at the same time, for one worker that comes twice.
#[test]
fn a_job_and_a_fork() {
    model(|| {
        let pool = Pool::new(2);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        let dispatching = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.dispatch(0)
        });
        pool.fork(1);
        dispatching.join().unwrap();
        idle.join().unwrap();
    });
}

/// A job is sent to a worker in whose place another thread is at the moment.
#[test]
fn a_lent_place_and_a_job() {
    model(|| {
        let pool = Pool::new(1);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        let lent = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.in_the_place_of_a_sleeper(false)
        });
        pool.dispatch(0);
        lent.join().unwrap();
        idle.join().unwrap();
    });
}

/// The thread from outside forks in the place of one sleeper, and another has to come; or it finds none, and
/// the job goes to a queue. The place it gives back is that of a worker which has to come for a fork.
#[test]
fn a_lent_place_and_two_forks() {
    model(|| {
        let pool = Pool::new(3);
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        let forked = pool.in_the_place_of_a_sleeper(true);
        pool.fork(2);
        if !forked {
            pool.fork(2);
        }
        for worker in idle {
            worker.join().unwrap();
        }
    });
}

/// The waiting worker is worker 0; the test itself runs its stolen child as worker 1.
fn waiting(child: impl Fn(&Pool, &Latch, &Taken) + Sync + Send + 'static) {
    model(move || {
        let pool = Pool::new(2);
        let latch = Arc::new(Latch::new());
        let taken = Arc::new(Taken::default());
        let waiting = thread::spawn({
            let (pool, latch, taken) = (Arc::clone(&pool), Arc::clone(&latch), Arc::clone(&taken));
            move || pool.wait_for(&latch, 0, || taken.one())
        });
        child(&pool, &latch, &taken);
        // SAFETY: the latch and the parker live to the end of the model.
        unsafe { Latch::set(core::ptr::NonNull::from(&*latch)) };
        waiting.join().unwrap();
    });
}

#[test]
fn a_waiting_worker_and_the_end_of_its_child() {
    waiting(|pool, latch, _| pool.workers[1].take_root(latch));
}

#[test]
fn a_waiting_worker_and_a_fork_below_it() {
    waiting(|pool, latch, taken| {
        pool.workers[1].take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
    });
}

#[test]
fn a_waiting_worker_and_two_forks_below_it() {
    waiting(|pool, latch, taken| {
        pool.workers[1].take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
        pool.fork(1);
        taken.wait_for(2);
    });
}

/// The child goes on below another latch, where it attends for nobody, and comes back.
#[test]
fn a_waiting_worker_and_a_child_that_comes_back() {
    waiting(|pool, latch, taken| {
        let worker = &pool.workers[1];
        let deeper = Latch::new();
        worker.take_root(latch);
        worker.take_root(&deeper);
        fence(Ordering::SeqCst);
        pool.attend(1);
        worker.take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
    });
}

/// Worker 0 waits for a child that ends only after worker 0 has run its share of a broadcast.
#[test]
fn a_waiting_worker_and_a_broadcast() {
    model(|| {
        let pool = Pool::new(2);
        let latch = Arc::new(Latch::new());
        let taken = Arc::new(Taken::default());
        let waiting = thread::spawn({
            let (pool, latch, taken) = (Arc::clone(&pool), Arc::clone(&latch), Arc::clone(&taken));
            move || {
                let worker = &pool.workers[0];
                while !latch.is_set() {
                    if take_one(&worker.queue) {
                        taken.one();
                        continue;
                    }
                    let has_share = || worker.queue.load(Ordering::SeqCst) > 0;
                    worker.bed.occupied(&latch, || {
                        steps::sleep_below(
                            &latch,
                            &worker.parker,
                            pool.everybody(),
                            has_share,
                            || worker.parker.doze(),
                            || worker.parker.park(),
                        );
                    });
                }
            }
        });
        // As `Shared::broadcast` in the runtime.
        pool.dispatch(0);
        pool.workers[0].bed.wake();
        taken.wait_for(1);
        // SAFETY: the latch and the parker live to the end of the model.
        unsafe { Latch::set(core::ptr::NonNull::from(&*latch)) };
        waiting.join().unwrap();
    });
}

/// A worker waits for another pool and may be called meanwhile.
#[test]
fn a_worker_that_waits_for_another_pool_and_a_call() {
    model(|| {
        let pool = Pool::new(1);
        let latch = Arc::new(Latch::new());
        let waiting = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || {
                let worker = &pool.workers[0];
                while !take_one(&worker.queue) {
                    let is_called = || worker.queue.load(Ordering::SeqCst) > 0;
                    let park = || worker.parker.park();
                    steps::sleep_outside(&latch, &worker.parker, is_called, park);
                }
            }
        });
        pool.workers[0].queue.store(1, Ordering::SeqCst);
        latch.wake();
        waiting.join().unwrap();
    });
}
