//! Jobs that asynchronous code awaits, with an executor that consists of a thread and a count.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use common::{Flag, caught, finishes, hold, panic_with, pool, wait_until};
use filch::{Class, Refused};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls until the future is ready, and sleeps until it is woken.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Counts its wake-ups, and remembers on which workers they came.
#[derive(Default)]
struct Count {
    wakes: AtomicUsize,
    workers: Mutex<Vec<Option<usize>>>,
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.workers.lock().unwrap().push(filch::current_worker());
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }
}

impl Count {
    fn wakes(&self) -> usize {
        self.wakes.load(Ordering::SeqCst)
    }
}

fn poll<F: Future + Unpin>(future: &mut F, count: &Arc<Count>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(count));
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

#[test]
fn results_and_panics() {
    finishes(|| {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            assert_eq!(block_on(pool.run(|| 6 * 7)), 42);
            assert_eq!(block_on(pool.run_in(Class::High, || 7)), 7);
            assert_eq!(block_on(pool.spawn(|| 8)).unwrap(), 8);
            assert!(block_on(pool.spawn(|| panic_with(1))).is_err());
            assert_eq!(caught(|| block_on(pool.run(|| panic_with(2)))), 2);
            let (a, b) = block_on(pool.run(|| filch::join(filch::current_worker, || 1)));
            assert!(a.is_some() && b == 1);
        }
    });
}

/// Many futures on few threads, each woken when its job ends.
#[test]
fn many_at_once() {
    finishes(|| {
        let pool = pool(2);
        let jobs: Vec<_> = (0..2000u64).map(|n| pool.run(move || n)).collect();
        let sum = async {
            let mut sum = 0;
            for job in jobs {
                sum += job.await;
            }
            sum
        };
        assert_eq!(block_on(sum), 1999 * 1000);
    });
}

/// The worker that ran the job wakes the task: no thread waits in between.
#[test]
fn the_worker_wakes() {
    finishes(|| {
        let pool = pool(1);
        let (open, count) = (hold(&pool), Arc::new(Count::default()));
        let mut job = pool.run(|| 5);
        assert!(poll(&mut job, &count).is_pending());
        assert_eq!(count.wakes(), 0);
        open.raise();
        wait_until(|| count.wakes() == 1);
        assert_eq!(*count.workers.lock().unwrap(), [Some(0)]);
        assert_eq!(poll(&mut job, &count), Poll::Ready(5));
    });
}

#[test]
fn the_task_that_polled_last_is_woken() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let (first, second) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let mut job = pool.run(|| 5);
        assert!(poll(&mut job, &first).is_pending());
        assert!(poll(&mut job, &first).is_pending());
        assert!(poll(&mut job, &second).is_pending());
        open.raise();
        wait_until(|| second.wakes() == 1);
        assert_eq!(first.wakes(), 0);
    });
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic_with(1);
    }
}

/// A job that begins passes its permit on, and wakes the task that has waited for it.
#[test]
fn an_executor_that_panics_does_not_end_the_job_that_passes_a_permit_on() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let intake = pool.intake(1);
        let job = intake.try_spawn(|| 10).unwrap();
        let mut waits = intake.permit();
        let waker = Waker::from(Arc::new(Panics));
        let polled = Pin::new(&mut waits).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        open.raise();
        assert_eq!(job.join().unwrap(), 10);
        assert_eq!(block_on(waits).spawn(|| 11).join().unwrap(), 11);
    });
}

#[test]
fn an_executor_that_panics_does_not_end_the_worker() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let mut job = pool.run(|| 5);
        let waker = Waker::from(Arc::new(Panics));
        let polled = Pin::new(&mut job).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        open.raise();
        assert_eq!(block_on(pool.run(|| 6)), 6);
        assert_eq!(block_on(job), 5);
    });
}

/// Counts its clones that live: in the closure, or as the result.
type Alive = Arc<()>;

/// A future is dropped at each stage of its job.
#[test]
fn dropped_at_every_stage() {
    finishes(|| {
        let pool = pool(1);
        let (alive, runs) = (Alive::default(), Arc::new(AtomicUsize::new(0)));
        let job = || {
            let (alive, runs) = (Arc::clone(&alive), Arc::clone(&runs));
            pool.run(move || {
                runs.fetch_add(1, Ordering::SeqCst);
                alive
            })
        };
        let lives = |number: usize| wait_until(|| Arc::strong_count(&alive) == 1 + number);
        let count = Arc::new(Count::default());

        // Not polled, not begun: the closure is dropped at once and never runs.
        let open = hold(&pool);
        let unpolled = job();
        lives(1);
        drop(unpolled);
        assert_eq!(Arc::strong_count(&alive), 1);
        // Polled, not begun.
        let mut polled = job();
        assert!(poll(&mut polled, &count).is_pending());
        drop(polled);
        assert_eq!(Arc::strong_count(&alive), 1);
        // Its waker is not kept either, once the queue comes to it.
        open.raise();
        block_on(pool.run(|| ()));
        wait_until(|| Arc::strong_count(&count) == 1);
        assert_eq!((runs.load(Ordering::SeqCst), count.wakes()), (0, 0));

        // Begun: it ends, and its result is dropped.
        let (begun, end) = (Arc::new(Flag::default()), Arc::new(Flag::default()));
        let begins = {
            let (alive, runs) = (Arc::clone(&alive), Arc::clone(&runs));
            let (begun, end) = (Arc::clone(&begun), Arc::clone(&end));
            pool.run(move || {
                begun.raise();
                end.wait();
                runs.fetch_add(1, Ordering::SeqCst);
                alive
            })
        };
        begun.wait();
        drop(begins);
        assert_eq!(Arc::strong_count(&alive), 2);
        end.raise();
        lives(0);
        assert_eq!(runs.load(Ordering::SeqCst), 1);

        // Ended, and the result was not fetched.
        let ended = job();
        wait_until(|| runs.load(Ordering::SeqCst) == 2);
        block_on(pool.run(|| ()));
        lives(1);
        drop(ended);
        lives(0);

        // Fetched.
        let result = block_on(job());
        lives(1);
        drop(result);
        lives(0);
    });
}

/// Futures that are dropped while their jobs begin: each closure runs or is dropped, never both,
/// and nothing is left.
#[test]
fn dropped_while_it_begins() {
    finishes(|| {
        let pool = pool(2);
        let (alive, runs) = (Alive::default(), Arc::new(AtomicUsize::new(0)));
        for round in 0..5000 {
            let (value, count) = (Arc::clone(&alive), Arc::clone(&runs));
            let job = pool.run(move || {
                count.fetch_add(1, Ordering::SeqCst);
                value
            });
            for _ in 0..round % 64 {
                std::hint::spin_loop();
            }
            drop(job);
        }
        drop(pool);
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(runs.load(Ordering::SeqCst) <= 5000);
    });
}

#[test]
fn a_bound_on_what_waits() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let intake = pool.intake(2);
        let jobs: Vec<_> = (0..2)
            .map(|n| intake.try_spawn(move || n).unwrap())
            .collect();
        assert_eq!(intake.free(), 0);
        let refused = intake.try_spawn(|| 7).unwrap_err();
        assert!(matches!(refused, Refused::Full(_)));
        assert_eq!(refused.into_job()(), 7, "the job comes back");
        assert!(intake.try_permit().is_none());
        open.raise();
        let results: Vec<i32> = jobs.into_iter().map(|job| job.join().unwrap()).collect();
        assert_eq!((results, intake.free()), (vec![0, 1], 2));
        // A job that has begun does not count.
        let (begun, end) = (Arc::new(Flag::default()), Arc::new(Flag::default()));
        let (in_job, until) = (Arc::clone(&begun), Arc::clone(&end));
        let running = intake.try_spawn(move || {
            in_job.raise();
            until.wait();
        });
        begun.wait();
        assert_eq!(intake.free(), 2);
        end.raise();
        running.unwrap().join().unwrap();
    });
}

/// Permits come in the order of the first polls, whatever is dropped in between.
#[test]
fn permits_are_fair() {
    let pool = pool(1);
    let intake = pool.intake_in(Class::Low, 1);
    let held = intake.try_permit().unwrap();
    let mut waiting: Vec<_> = (0..5).map(|_| intake.permit()).collect();
    let counts: Vec<_> = (0..5).map(|_| Arc::new(Count::default())).collect();
    for (admission, count) in waiting.iter_mut().zip(&counts) {
        assert!(poll(admission, count).is_pending());
    }
    let wakes = || counts.iter().map(|count| count.wakes()).collect::<Vec<_>>();
    // The first gives up before it was its turn.
    drop(waiting.remove(0));
    drop(held);
    assert_eq!(wakes(), [0, 1, 0, 0, 0]);
    // A latecomer does not overtake: the permit is assigned.
    assert!(intake.try_permit().is_none());
    // The second gives up after it was its turn: the permit goes on to the third.
    drop(waiting.remove(0));
    assert_eq!(wakes(), [0, 1, 1, 0, 0]);
    let Poll::Ready(permit) = poll(&mut waiting[0], &counts[2]) else {
        panic!("it is the turn of the third");
    };
    assert!(poll(&mut waiting[1], &counts[3]).is_pending());
    // A permit that is used up by a job goes on when the job begins.
    assert_eq!(permit.spawn(|| 1).join().unwrap(), 1);
    assert_eq!(wakes(), [0, 1, 1, 1, 0]);
    drop(waiting);
    assert_eq!(intake.free(), 1);
}

/// A job that is cancelled before it begins gives its permit back.
#[test]
fn a_cancelled_job_gives_its_permit_back() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let intake = pool.intake(1);
        let job = intake.try_permit().unwrap().run(|| ());
        assert_eq!(intake.free(), 0);
        drop(job);
        assert_eq!(intake.free(), 1);
        open.raise();
    });
}

/// Several tasks flood the pool through one intake: never more wait than it allows.
#[test]
fn the_bound_holds_under_a_flood() {
    const BOUND: usize = 3;
    finishes(|| {
        let pool = pool(2);
        let intake = pool.intake(BOUND);
        // Counted after the permit was had and before the job gives it back.
        let waiting = Arc::new(AtomicUsize::new(0));
        struct Waits(Arc<AtomicUsize>);
        impl Drop for Waits {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for round in 0..500 {
                        let permit = block_on(intake.permit());
                        assert!(waiting.fetch_add(1, Ordering::SeqCst) < BOUND);
                        let waits = Waits(Arc::clone(&waiting));
                        if round % 2 == 0 {
                            // The permit is dropped after the count.
                            drop((waits, permit));
                        } else {
                            drop(waits);
                            assert_eq!(block_on(permit.run(move || round)), round);
                        }
                    }
                });
            }
        });
        assert_eq!(intake.free(), BOUND);
    });
}

/// The waker of a future that was dropped goes with it, although the job is still in its queue.
#[test]
fn a_cancelled_job_keeps_no_waker() {
    finishes(|| {
        let pool = pool(1);
        for begins in [false, true] {
            let open = hold(&pool);
            let (count, begun) = (Arc::new(Count::default()), Arc::new(Flag::default()));
            let in_job = Arc::clone(&begun);
            let gate = Arc::new(Flag::default());
            let until = Arc::clone(&gate);
            let mut job = pool.run(move || {
                in_job.raise();
                until.wait();
            });
            assert!(poll(&mut job, &count).is_pending());
            assert_eq!(Arc::strong_count(&count), 2);
            if begins {
                open.raise();
                begun.wait();
            }
            drop(job);
            assert_eq!(Arc::strong_count(&count), 1);
            open.raise();
            gate.raise();
            block_on(pool.run(|| ()));
            assert_eq!(count.wakes(), 0, "no task awaits it");
        }
    });
}

/// A waker whose drop panics harms neither the thread that drops the future nor the worker.
#[test]
fn a_waker_that_panics_when_it_is_dropped() {
    struct Bomb;
    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_with(3);
        }
    }
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let mut job = pool.run(|| ());
        let waker = Waker::from(Arc::new(Bomb));
        let polled = Pin::new(&mut job).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        // The job has the last count.
        drop(waker);
        drop(job);
        open.raise();
        block_on(pool.run(|| ()));
    });
}

/// After its pool was dropped, an intake gives jobs back, and a permit says what became of its job.
#[test]
fn an_intake_that_outlives_its_pool() {
    finishes(|| {
        for class in [None, Some(Class::High)] {
            let pool = pool(2);
            let intake = match class {
                Some(class) => pool.intake_in(class, 3),
                None => pool.intake(3),
            };
            let sent = intake.try_spawn(|| 1).unwrap();
            let permits = [intake.try_permit().unwrap(), block_on(intake.permit())];
            drop(pool);
            assert_eq!(sent.join().unwrap(), 1, "it was accepted");
            let refused = intake.try_spawn(|| 7).unwrap_err();
            assert!(matches!(refused, Refused::Closed(_)), "{refused:?}");
            assert_eq!(refused.to_string(), "the pool was dropped");
            assert_eq!(refused.into_job()(), 7);
            let [first, second] = permits;
            let alive = Arc::new(());
            let value = Arc::clone(&alive);
            let payload = first.spawn(move || value).join().unwrap_err();
            let said = payload.downcast::<&str>().unwrap();
            assert_eq!(*said, "the pool was dropped before the job was sent");
            assert_eq!(Arc::strong_count(&alive), 1, "its closure was dropped");
            assert!(block_on(second.spawn(|| 2)).is_err());
            assert_eq!(intake.free(), 3);
        }
    });
}

/// A job of a pool that is being dropped may send another, which runs.
#[test]
fn jobs_of_a_closing_pool_may_send_more() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let intake = pool.intake(1_000_000);
        let runs = Arc::new(AtomicUsize::new(0));
        let (inner, count) = (intake.clone(), Arc::clone(&runs));
        drop(intake.try_spawn(move || {
            for _ in 0..5 {
                let count = Arc::clone(&count);
                let sent = inner.try_spawn(move || count.fetch_add(1, Ordering::SeqCst));
                drop(sent.unwrap());
            }
        }));
        let closer = thread::spawn(move || drop(pool));
        // Only a pool that closes refuses what another thread sends.
        let other = intake.clone();
        wait_until(move || match other.try_spawn(|| ()) {
            Ok(job) => {
                drop(job);
                false
            }
            Err(refused) => matches!(refused, Refused::Closed(_)),
        });
        open.raise();
        closer.join().unwrap();
        assert_eq!(runs.load(Ordering::SeqCst), 5);
    });
}

/// Threads send jobs while the pool is dropped: each job runs or comes back.
#[test]
fn jobs_sent_while_a_pool_closes() {
    finishes(|| {
        for round in 0..50 {
            let pool = pool(1 + round % 3);
            let intake = pool.intake(1_000_000);
            let runs = Arc::new(AtomicUsize::new(0));
            let senders: Vec<_> = (0..2)
                .map(|_| {
                    let (intake, runs) = (intake.clone(), Arc::clone(&runs));
                    thread::spawn(move || {
                        let mut sent = 0;
                        loop {
                            let count = Arc::clone(&runs);
                            let job = move || count.fetch_add(1, Ordering::SeqCst);
                            match intake.try_spawn(job) {
                                Ok(_) => sent += 1,
                                Err(Refused::Closed(_)) => return sent,
                                Err(Refused::Full(_)) => thread::yield_now(),
                            }
                        }
                    })
                })
                .collect();
            wait_until(|| runs.load(Ordering::SeqCst) > 10);
            drop(pool);
            let sent: usize = senders.into_iter().map(|one| one.join().unwrap()).sum();
            assert_eq!(runs.load(Ordering::SeqCst), sent);
        }
    });
}
