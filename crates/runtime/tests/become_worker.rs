//! A thread is the worker of one pool at a time, and no frame unwinds while others write into it.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::{Flag, assert_success, finishes, in_child, pool, role, wait_until};
use filch::internals::WorkerStart;
use filch::{BuildError, Pool, join};

/// A pool of one worker that was not started, and that worker.
fn unstarted() -> (Pool, WorkerStart) {
    let mut start = None;
    let keep = |worker| {
        start = Some(worker);
        Ok(())
    };
    let pool = Pool::builder().threads(1).build_with(|_| None, false, keep);
    (pool.unwrap(), start.unwrap())
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

/// A worker that became another one would forget the join that it is in. The other half of that
/// join writes into this frame.
#[test]
fn a_worker_does_not_become_another_in_the_middle_of_a_join() {
    finishes(|| {
        let two = pool(2);
        let (other, start) = unstarted();
        let (stolen, mut written) = (Flag::default(), [0_u64; 64]);
        let there = &mut written;
        let refused = two.install(|| {
            let refused = join(
                || {
                    stolen.wait();
                    drop(other);
                    catch_unwind(AssertUnwindSafe(|| start.run()))
                },
                || {
                    stolen.raise();
                    thread::sleep(Duration::from_millis(50));
                    there.fill(7);
                },
            );
            assert!(filch::current_worker().is_some(), "it is still a worker");
            refused.0
        });
        assert!(message(refused.unwrap_err()).contains("worker of a pool already"));
        assert_eq!(written, [7; 64]);
    });
}

/// The same without `catch_unwind` around the attempt: the panic goes through the join, which waits
/// for its second half.
#[test]
fn the_refusal_unwinds_through_a_join() {
    finishes(|| {
        let two = pool(2);
        let (other, start) = unstarted();
        let (stolen, ended) = (Flag::default(), Flag::default());
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            two.install(|| {
                join(
                    || {
                        stolen.wait();
                        start.run();
                    },
                    || {
                        stolen.raise();
                        thread::sleep(Duration::from_millis(20));
                        ended.raise();
                    },
                )
            })
        }));
        assert!(outcome.is_err() && ended.is_raised());
        drop(other);
    });
}

/// In a borrowed seat, in handlers, and in children of scopes.
#[test]
fn no_worker_becomes_another_anywhere() {
    finishes(|| {
        let refused = |start: WorkerStart| {
            catch_unwind(AssertUnwindSafe(|| start.run())).expect_err("it is a worker");
        };
        let pool = pool(1);
        for _ in 0..20 {
            let (_other, start) = unstarted();
            pool.scope(|_| refused(start));
            let (_other, start) = unstarted();
            pool.scope(|s| s.spawn(move |_| refused(start)));
            let (_other, start) = unstarted();
            pool.spawn(move || refused(start)).join().unwrap();
            let (_other, start) = unstarted();
            let start = Mutex::new(Some(start));
            pool.broadcast(|_| start.lock().unwrap().take().map(refused));
        }
        for is_start in [true, false] {
            let (_other, start) = unstarted();
            let (start, tried) = (Mutex::new(Some(start)), Arc::new(Flag::default()));
            let tries = Arc::clone(&tried);
            let told = move |_| {
                start.lock().unwrap().take().map(refused);
                tries.raise();
            };
            let builder = Pool::builder().threads(1);
            let builder = if is_start {
                builder.start_handler(told)
            } else {
                builder.exit_handler(told)
            };
            drop(builder.build().unwrap());
            assert!(tried.is_raised());
        }
    });
}

/// The pool that was refused its worker ends.
#[test]
fn a_pool_whose_worker_was_refused_ends() {
    finishes(|| {
        let mut kept = Vec::new();
        let keep = |worker| {
            kept.push(worker);
            Ok(())
        };
        let refused = Pool::builder().threads(2).build_with(|_| None, false, keep);
        let refused = refused.unwrap();
        let [first, second] = <[WorkerStart; 2]>::try_from(kept).ok().unwrap();
        let runs = thread::spawn(|| first.run());
        pool(1).install(|| {
            let run = AssertUnwindSafe(|| second.run());
            catch_unwind(run).expect_err("it is a worker");
        });
        assert_eq!(refused.spawn(|| 5).join().unwrap(), 5);
        drop(refused);
        runs.join().unwrap();
    });
}

#[test]
fn a_worker_does_not_become_the_first_of_another_pool() {
    finishes(|| {
        let here = || {
            Pool::builder()
                .threads(1)
                .build_with(|_| None, true, |_| Ok(()))
        };
        let build = move || match here() {
            Err(error @ BuildError::AlreadyWorker) => {
                assert!(error.to_string().contains("already"))
            }
            other => panic!("{other:?}"),
        };
        pool(1).install(build);
        pool(1).scope(|_| build());
        // A thread of its own, which stays a worker.
        let kept = thread::spawn(move || {
            let first = here().unwrap();
            assert_eq!(filch::current_worker(), Some(0));
            build();
            assert_eq!(join(|| 1, || 2), (1, 2));
            drop(first);
            build();
        });
        kept.join().unwrap();
    });
}

/// While its pool is built, the thread becomes the worker of another, by a function of the user.
#[test]
fn a_thread_that_becomes_a_worker_while_it_builds_a_pool() {
    finishes(|| {
        let here = || {
            Pool::builder()
                .threads(1)
                .build_with(|_| None, true, |_| Ok(()))
        };
        let mut inner = None;
        let name = |_| {
            inner = Some(here());
            None
        };
        let outer = Pool::builder()
            .threads(1)
            .build_with(name, true, |_| Ok(()));
        assert!(matches!(outer, Err(BuildError::AlreadyWorker)));
        assert!(inner.unwrap().is_ok());
        assert_eq!(join(|| 1, || 2), (1, 2));
    });
}

/// A value of a thread that forks, waits and becomes a worker when the thread ends.
struct Late(Box<dyn FnMut()>);

impl Drop for Late {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Destructors of thread-local values run when the thread is a worker no more, or still is one if
/// it was made one for good.
#[test]
fn destructors_of_thread_local_values_may_use_pools() {
    thread_local! {
        static LATE: Cell<Option<Late>> = const { Cell::new(None) };
    }
    fn at_end(work: impl FnMut() + 'static) {
        LATE.with(|late| late.set(Some(Late(Box::new(work)))));
    }
    finishes(|| {
        let ran = Arc::new(AtomicUsize::new(0));
        let other = Arc::new(pool(2));
        let work = {
            let (ran, other) = (Arc::clone(&ran), Arc::clone(&other));
            move || {
                let (ran, other) = (Arc::clone(&ran), Arc::clone(&other));
                at_end(move || {
                    assert_eq!(join(|| 1, || 2), (1, 2));
                    assert_eq!(
                        other.join(|| 1, || filch::spawn(|| 2).join().unwrap()),
                        (1, 2)
                    );
                    let (_pool, start) = unstarted();
                    // Refused on a thread that is a worker for good, and over at once elsewhere.
                    drop(_pool);
                    drop(catch_unwind(AssertUnwindSafe(|| start.run())));
                    ran.fetch_add(1, Ordering::SeqCst);
                });
            }
        };
        // A worker.
        let one = pool(1);
        one.spawn(work.clone()).join().unwrap();
        drop(one);
        wait_until(|| ran.load(Ordering::SeqCst) == 1);
        // A thread that was made a worker for good.
        let stays = work.clone();
        thread::spawn(move || {
            let here = Pool::builder()
                .threads(1)
                .build_with(|_| None, true, |_| Ok(()));
            stays();
            drop(here);
        });
        wait_until(|| ran.load(Ordering::SeqCst) == 2);
        // A thread that has borrowed seats.
        thread::spawn(move || {
            join(|| (), || ());
            work();
        });
        wait_until(|| ran.load(Ordering::SeqCst) == 3);
    });
}

/// A thread of the standard library may not have a zero in its name, and a spare thread is named
/// like a worker. A worker that waits must not fail for that.
#[test]
fn a_spare_thread_whose_name_is_impossible() {
    let name = "a_spare_thread_whose_name_is_impossible";
    if role().is_none() {
        return assert_success(name, &in_child(name, "child", &[]));
    }
    let names = |worker| Some(if worker == 0 { "a\0b" } else { "b" }.to_owned());
    let mut threads = Vec::new();
    let spawn = |worker: WorkerStart| {
        threads.push(thread::spawn(|| worker.run()));
        Ok(())
    };
    let pool = Pool::builder()
        .threads(2)
        .spare_threads(4)
        .build_with(names, true, spawn);
    let pool = pool.unwrap();
    let mut written = [0_u64; 64];
    for _ in 0..20 {
        let (stolen, there) = (Flag::default(), &mut written);
        let unrelated = Arc::new(Flag::default());
        let raise = Arc::clone(&unrelated);
        join(
            || {
                stolen.wait();
                drop(filch::spawn(move || raise.raise()));
            },
            || {
                stolen.raise();
                unrelated.wait();
                there.fill(7);
            },
        );
        assert_eq!(written, [7; 64]);
    }
    assert!(
        !pool.metrics().spares.is_empty(),
        "a spare thread was needed"
    );
    drop(pool);
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

/// A worker that no thread starts keeps no other thread from ending.
#[test]
fn a_leaked_worker_keeps_no_thread_alive() {
    finishes(|| {
        for others in [1, 2, 5] {
            let mut threads = Vec::new();
            let spawn = |worker: WorkerStart| {
                if worker.index() == 0 {
                    std::mem::forget(worker);
                } else {
                    threads.push(thread::spawn(|| worker.run()));
                }
                Ok(())
            };
            let quarter = "fraction:4".parse().unwrap();
            let builder = Pool::builder().threads(1 + others).steal(quarter);
            let pool = builder.build_with(|_| None, false, spawn).unwrap();
            let done = Arc::new(AtomicUsize::new(0));
            for _ in 0..20 {
                let done = Arc::clone(&done);
                drop(pool.spawn(move || done.fetch_add(1, Ordering::SeqCst)));
            }
            drop(pool);
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
            assert_eq!(done.load(Ordering::SeqCst), 20);
        }
    });
}
