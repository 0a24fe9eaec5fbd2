//! Pools start and end as configured, and call each other without deadlock or confusion.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use common::{Flag, assert_success, finishes, in_child, pool, role};
use filch::{BuildError, Pool, join, scope};

fn named(name: &'static str, threads: usize) -> Pool {
    let pool = Pool::builder()
        .threads(threads)
        .name(move |worker| format!("{name}-{worker}"));
    pool.build().unwrap()
}

fn thread_name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

#[test]
fn dropping_a_pool_finishes_everything_that_it_accepted() {
    finishes(|| {
        for threads in [1, 2, 8] {
            for _ in 0..50 {
                let pool = pool(threads);
                let count = Arc::new(AtomicUsize::new(0));
                for _ in 0..20 {
                    let count = Arc::clone(&count);
                    drop(pool.spawn(move || {
                        let one = || count.fetch_add(1, Ordering::Relaxed);
                        filch::join(one, || {
                            filch::scope(|s| {
                                s.spawn(|_| {
                                    one();
                                });
                            });
                        });
                    }));
                }
                drop(pool);
                assert_eq!(count.load(Ordering::Relaxed), 40);
            }
        }
    });
}

/// The threads end by themselves: the last owner of their pool is one of their jobs.
#[test]
fn a_pool_may_be_dropped_by_its_own_job() {
    for threads in [1, 2, 3, 8] {
        finishes(move || {
            let (exited, exits) = mpsc::channel();
            let exited = Mutex::new(exited);
            let pool = Pool::builder()
                .threads(threads)
                .exit_handler(move |worker| exited.lock().unwrap().send(worker).unwrap())
                .build();
            let pool = Arc::new(pool.unwrap());
            let own = Arc::clone(&pool);
            let go = Arc::new(Flag::default());
            let wait = Arc::clone(&go);
            let handle = pool.spawn(move || {
                wait.wait();
                drop(own);
            });
            drop(pool);
            go.raise();
            handle.join().unwrap();
            assert_eq!(
                exits.iter().collect::<BTreeSet<_>>(),
                (0..threads).collect()
            );
        });
    }
}

#[test]
fn a_pool_may_be_dropped_by_a_job_of_another() {
    finishes(|| {
        let (outer, inner) = (pool(1), pool(2));
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        outer.install(move || {
            for _ in 0..10 {
                let counted = Arc::clone(&counted);
                drop(inner.spawn(move || counted.fetch_add(1, Ordering::Relaxed)));
            }
            drop(inner);
        });
        assert_eq!(count.load(Ordering::Relaxed), 10);
    });
}

#[test]
fn pools_of_one_worker_call_each_other_in_turn() {
    fn call(depth: usize, here: &Pool, there: &Pool) -> usize {
        if depth == 0 {
            0
        } else {
            1 + there.install(|| call(depth - 1, there, here))
        }
    }
    finishes(|| {
        let (a, b) = (pool(1), pool(1));
        assert_eq!(a.install(|| b.install(|| a.install(|| 3))), 3);
        assert_eq!(a.install(|| call(20, &a, &b)), 20);
    });
}

#[test]
fn pools_call_each_other_from_many_threads_at_once() {
    fn call(depth: usize, here: &Pool, there: &Pool) -> usize {
        if depth == 0 {
            return 1;
        }
        let both = || {
            let (a, b) = filch::join(
                || call(depth - 1, there, here),
                || call(depth - 1, there, here),
            );
            a + b
        };
        there.install(both)
    }
    finishes(|| {
        for threads in [1, 2, 3] {
            let (a, b) = (pool(threads), pool(threads));
            let (a, b) = (&a, &b);
            thread::scope(|callers| {
                for caller in 0..4 {
                    let (here, there) = if caller % 2 == 0 { (a, b) } else { (b, a) };
                    callers.spawn(move || {
                        for _ in 0..50 {
                            assert_eq!(call(4, here, there), 16);
                        }
                    });
                }
            });
        }
    });
}

/// Both halves of a join call another pool, and from there the pool of the other half, which has
/// one thread and waits for the first.
#[test]
fn two_calls_within_one_need_each_others_pools() {
    finishes(|| {
        let alone = || Pool::builder().threads(1).spare_threads(0).build().unwrap();
        let (outer, a, b, c) = (alone(), pool(2), alone(), alone());
        for _ in 0..20 {
            let both = Flag::default();
            let half = |here: &Pool, there: &Pool| {
                here.install(|| {
                    both.raise();
                    both.wait_for(2);
                    there.install(|| ());
                });
            };
            outer.install(|| a.join(|| half(&b, &c), || half(&c, &b)));
        }
    });
}

#[test]
fn a_job_waits_for_a_job_of_another_pool_that_waits_for_one_of_the_first() {
    finishes(|| {
        let pools = Arc::new((pool(1), pool(1)));
        let inside = Arc::clone(&pools);
        let outer = pools.0.spawn(move || {
            let again = Arc::clone(&inside);
            let middle = inside.1.spawn(move || again.0.spawn(|| 5).join().unwrap());
            middle.join().unwrap()
        });
        assert_eq!(outer.join().unwrap(), 5);
        // The last handle may be a job's own.
        common::wait_until(|| Arc::strong_count(&pools) == 1);
    });
}

/// Calls a second pool, which runs `within`. That starts a job, which calls the first pool back.
/// The first pool has one thread, which serves only what belongs to its own call.
fn calls_back(within: impl FnOnce(&Flag, &(dyn Fn() + Sync)) + Send) {
    let first = Pool::builder().threads(1).spare_threads(0).build().unwrap();
    let second = pool(2);
    let (begun, result) = (Flag::default(), AtomicUsize::new(0));
    let call_back = || {
        begun.raise();
        first.install(|| result.store(3, Ordering::Relaxed));
    };
    first.install(|| second.install(|| within(&begun, &call_back)));
    assert_eq!(result.into_inner(), 3);
}

/// A child that the thief of a join spawns into the scope around it goes to a queue.
#[test]
fn a_child_sent_to_a_queue_calls_back_within_the_call_of_its_scope() {
    finishes(|| {
        calls_back(|begun, call_back| {
            scope(|s| {
                join(|| begun.wait(), || s.spawn(|_| call_back()));
            });
        });
    });
}

/// A stolen child of a scope leaves a child of its own in the deque of the thief.
#[test]
fn a_child_left_in_a_deque_calls_back_within_the_call_of_its_scope() {
    finishes(|| {
        calls_back(|begun, call_back| {
            scope(|s| {
                s.spawn(|s| s.spawn(|_| call_back()));
                begun.wait();
            });
        });
    });
}

/// A worker that runs for a call waits for a job of the same call, which broadcasts.
#[test]
fn a_job_of_a_call_broadcasts_to_a_worker_that_waits_for_it() {
    finishes(|| {
        let (first, second) = (pool(1), Arc::new(pool(2)));
        let shares = first.install(|| {
            second.install(|| {
                let (begun, pool) = (Arc::new(Flag::default()), Arc::clone(&second));
                let begins = Arc::clone(&begun);
                let job = filch::spawn(move || {
                    begins.raise();
                    pool.broadcast(|share| share.index())
                });
                begun.wait();
                job.join().unwrap()
            })
        });
        assert_eq!(shares, [0, 1]);
    });
}

/// Two calls that were made within one call broadcast, each to the worker that runs the other.
#[test]
fn two_calls_within_one_broadcast_to_each_other() {
    finishes(|| {
        let (first, second, third) = (pool(1), pool(2), pool(2));
        let begun = Flag::default();
        let broadcast = || {
            third.install(|| {
                begun.raise();
                begun.wait_for(2);
                third.broadcast(|share| share.index())
            })
        };
        let both = first.install(|| second.install(|| join(broadcast, broadcast)));
        assert_eq!(both, (vec![0, 1], vec![0, 1]));
    });
}

/// A pool of so many workers, with and without spare threads.
fn with_and_without_spares(threads: usize) -> [Pool; 2] {
    let builder = || Pool::builder().threads(threads);
    [builder().spare_threads(0), builder()].map(|builder| builder.build().unwrap())
}

/// Within a call to the second pool, its only worker waits for a job of the first one. That job has
/// no call of its own, and calls the second pool.
#[test]
fn a_job_that_a_call_waits_for_calls_its_pool() {
    finishes(|| {
        let pools = with_and_without_spares(2).into_iter();
        for (first, second) in pools.zip(with_and_without_spares(1)) {
            let second = Arc::new(second);
            for round in 0..20 {
                let (there, waits) = (Arc::clone(&second), Arc::new(Flag::default()));
                let waiting = Arc::clone(&waits);
                let result = first.install(|| {
                    let job = filch::spawn(move || {
                        // Before and after the other worker waits.
                        if round % 2 == 0 {
                            waiting.wait();
                        }
                        there.install(|| 1)
                    });
                    second.install(move || {
                        waits.raise();
                        job.join().unwrap()
                    })
                });
                assert_eq!(result, 1);
            }
        }
    });
}

/// The same through a second job: the first waits for it, and it calls.
#[test]
fn a_job_that_a_call_waits_for_indirectly_calls_its_pool() {
    finishes(|| {
        let pools = with_and_without_spares(3).into_iter();
        for (first, second) in pools.zip(with_and_without_spares(1)) {
            let second = Arc::new(second);
            for _ in 0..20 {
                let called = Arc::new(Flag::default());
                let result = first.install(|| {
                    let (there, calls) = (Arc::clone(&second), Arc::clone(&called));
                    let inner = filch::spawn(move || {
                        calls.raise();
                        there.install(|| 1)
                    });
                    let called = Arc::clone(&called);
                    let outer = filch::spawn(move || {
                        // The call is in the queue of the other pool by now, or soon.
                        called.wait();
                        thread::sleep(std::time::Duration::from_micros(100));
                        inner.join().unwrap()
                    });
                    second.install(move || outer.join().unwrap())
                });
                assert_eq!(result, 1);
            }
        }
    });
}

/// A part of the job calls, on the worker that has stolen it.
#[test]
fn a_stolen_part_of_a_job_that_a_call_waits_for_calls_its_pool() {
    finishes(|| {
        let pools = with_and_without_spares(3).into_iter();
        for (first, second) in pools.zip(with_and_without_spares(1)) {
            let second = Arc::new(second);
            for in_scope in [false, true] {
                let there = Arc::clone(&second);
                let result = first.install(|| {
                    let job = filch::spawn(move || {
                        let (stolen, result) = (Flag::default(), AtomicUsize::new(0));
                        let part = || {
                            stolen.raise();
                            result.store(there.install(|| 1), Ordering::Relaxed);
                        };
                        if in_scope {
                            scope(|s| {
                                s.spawn(|_| part());
                                stolen.wait();
                            });
                        } else {
                            join(|| stolen.wait(), part);
                        }
                        result.into_inner()
                    });
                    second.install(move || job.join().unwrap())
                });
                assert_eq!(result, 1);
            }
        }
    });
}

/// A pool is dropped by the only worker of another, and its jobs call that pool.
#[test]
fn a_pool_whose_jobs_call_the_worker_that_drops_it() {
    finishes(|| {
        for first in with_and_without_spares(1) {
            let first = Arc::new(first);
            for second in with_and_without_spares(2) {
                let (back, done) = (Arc::clone(&first), Arc::new(AtomicUsize::new(0)));
                first.install(|| {
                    for _ in 0..10 {
                        let (back, done) = (Arc::clone(&back), Arc::clone(&done));
                        drop(second.spawn(move || {
                            back.install(|| done.fetch_add(1, Ordering::Relaxed));
                        }));
                    }
                    drop(second);
                });
                assert_eq!(done.load(Ordering::Relaxed), 10);
            }
        }
    });
}

/// The same within a call, and the jobs of the dropped pool go through a third one.
#[test]
fn a_pool_whose_jobs_call_back_through_a_third_is_dropped_in_a_call() {
    finishes(|| {
        let [first, second, third] = [1, 1, 1].map(|threads| {
            Arc::new(
                Pool::builder()
                    .threads(threads)
                    .spare_threads(0)
                    .build()
                    .unwrap(),
            )
        });
        for _ in 0..20 {
            let dropped = pool(1);
            let done = Arc::new(AtomicUsize::new(0));
            let (back, through, count) =
                (Arc::clone(&second), Arc::clone(&third), Arc::clone(&done));
            first.install(|| {
                second.install(move || {
                    drop(dropped.spawn(move || {
                        through.install(|| back.install(|| count.fetch_add(1, Ordering::Relaxed)));
                    }));
                    drop(dropped);
                });
            });
            assert_eq!(done.load(Ordering::Relaxed), 1);
        }
    });
}

#[test]
fn work_runs_on_the_pool_that_it_was_given_to() {
    finishes(|| {
        let (a, b) = (named("a", 2), named("b", 2));
        a.install(|| {
            assert!(thread_name().starts_with("a-"));
            let (x, y) = b.join(thread_name, thread_name);
            assert!(x.starts_with("b-") && y.starts_with("b-"));
            assert!(b.scope(|_| thread_name()).starts_with("b-"));
            let (x, y) = filch::join(thread_name, thread_name);
            assert!(x.starts_with("a-") && y.starts_with("a-"));
            assert!(b.install(|| a.install(thread_name)).starts_with("a-"));
        });
    });
}

/// The waiting worker belongs to another pool: it must not run the job itself.
#[test]
fn a_job_awaited_from_another_pool_runs_on_its_own() {
    finishes(|| {
        let (a, b) = (named("a", 1), named("b", 1));
        let waiting = Arc::new(Flag::default());
        let busy = Arc::clone(&waiting);
        drop(b.spawn(move || busy.wait()));
        let handle = b.spawn(thread_name);
        let ran_on = thread::scope(|threads| {
            let waits = threads.spawn(|| {
                a.install(|| {
                    waiting.raise();
                    handle.join().unwrap()
                })
            });
            waits.join().unwrap()
        });
        assert_eq!(ran_on, "b-0");
    });
}

#[test]
fn workers_know_their_indices_and_names() {
    finishes(|| {
        let pool = named("cook", 3);
        assert_eq!((pool.threads(), filch::current_worker()), (3, None));
        let met = AtomicUsize::new(0);
        let seen = Mutex::new(BTreeSet::new());
        // Not `pool.scope`: its caller may take the place of a worker, and keeps its own name.
        pool.install(|| {
            scope(|s| {
                for _ in 0..3 {
                    s.spawn(|_| {
                        let worker = filch::current_worker().unwrap();
                        seen.lock().unwrap().insert((worker, thread_name()));
                        met.fetch_add(1, Ordering::Relaxed);
                        common::wait_until(|| met.load(Ordering::Relaxed) == 3);
                    });
                }
            });
        });
        let all = (0..3)
            .map(|worker| (worker, format!("cook-{worker}")))
            .collect();
        assert_eq!(seen.into_inner().unwrap(), all);
    });
}

#[test]
fn start_and_exit_handlers_run_once_on_each_worker() {
    finishes(|| {
        let log = Arc::new(Mutex::new(Vec::new()));
        let (started, exited) = (Arc::clone(&log), Arc::clone(&log));
        let pool = Pool::builder()
            .threads(4)
            .start_handler(move |worker| {
                assert_eq!(filch::current_worker(), Some(worker));
                started
                    .lock()
                    .unwrap()
                    .push(("start", worker, thread_name()));
            })
            .exit_handler(move |worker| {
                exited.lock().unwrap().push(("exit", worker, thread_name()));
            })
            .build()
            .unwrap();
        assert_eq!(pool.install(|| 1), 1);
        drop(pool);
        let mut log = Arc::try_unwrap(log).unwrap().into_inner().unwrap();
        for worker in 0..4 {
            let of_worker = log.extract_if(.., |entry| entry.1 == worker);
            let name = format!("filch-{worker}");
            let expected = [("start", worker, name.clone()), ("exit", worker, name)];
            assert_eq!(of_worker.collect::<Vec<_>>(), expected);
        }
    });
}

#[test]
fn the_stack_is_as_large_as_configured() {
    /// Touches `kibibytes` KiB of the stack.
    fn descend(kibibytes: usize) -> u8 {
        let frame = std::hint::black_box([1_u8; 1024]);
        if kibibytes == 0 {
            0
        } else {
            descend(kibibytes - 1).wrapping_add(frame[kibibytes % 1024])
        }
    }
    finishes(|| {
        let pool = Pool::builder()
            .threads(2)
            .stack_size(64 << 20)
            .build()
            .unwrap();
        pool.join(|| descend(32 << 10), || descend(32 << 10));
    });
}

#[test]
fn a_pool_of_no_workers_is_refused() {
    let error = Pool::new(0).expect_err("a pool needs a worker");
    assert!(matches!(error, BuildError::NoThreads));
    assert!(error.to_string().contains("at least one"));
}

#[test]
fn a_policy_that_cannot_work_here_is_refused() {
    for policy in ["sed", "jsq:3"] {
        let error = Pool::builder()
            .threads(2)
            .dispatch(policy.parse().unwrap())
            .build();
        let error = error.expect_err("there are no speeds, and two workers");
        assert!(matches!(error, BuildError::Policy(_)), "{error}");
    }
}

#[test]
fn two_hundred_workers_are_not_too_many() {
    finishes(|| {
        let pool = pool(200);
        let count = AtomicUsize::new(0);
        pool.scope(|s| {
            for _ in 0..200 {
                s.spawn(|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                    // All workers have to be here at the same time.
                    common::wait_until(|| count.load(Ordering::Relaxed) == 200);
                });
            }
        });
    });
}

#[test]
fn the_environment_says_how_many_workers_there_are() {
    let name = "the_environment_says_how_many_workers_there_are";
    match role() {
        Some(expected) => {
            let built = Pool::builder().build().map(|pool| pool.threads());
            match expected.parse::<usize>() {
                Ok(threads) => assert_eq!(built.unwrap(), threads),
                Err(_) => assert_eq!(
                    built.unwrap_err().to_string().split(' ').next(),
                    Some(&*expected)
                ),
            }
            // The program's own setting takes precedence.
            assert_eq!(pool(2).threads(), 2);
        }
        None => {
            let cases = [
                ("3", "3"),
                ("1", "1"),
                ("many", "FILCH_NUM_THREADS"),
                ("-1", "FILCH_NUM_THREADS"),
            ];
            for (value, expected) in cases {
                assert_success(
                    value,
                    &in_child(name, expected, &[("FILCH_NUM_THREADS", value)]),
                );
            }
            assert_success("0", &in_child(name, "a", &[("FILCH_NUM_THREADS", "0")]));
        }
    }
}

#[test]
fn the_environment_says_whether_wake_ups_are_directed() {
    let name = "the_environment_says_whether_wake_ups_are_directed";
    let Some(role) = role() else {
        for (value, role) in [("on", "built"), ("off", "built"), ("1", "refused")] {
            let variables = [("FILCH_DIRECTED_WAKE_UPS", value)];
            assert_success(value, &in_child(name, role, &variables));
        }
        return;
    };
    match Pool::builder().threads(2).build() {
        Ok(pool) => assert_eq!((pool.join(|| 1, || 2), &*role), ((1, 2), "built")),
        Err(error) => {
            assert_eq!(role, "refused");
            assert!(error.to_string().contains("FILCH_DIRECTED_WAKE_UPS"));
        }
    }
    // The program's own setting takes precedence.
    for directed in [false, true] {
        let builder = Pool::builder().threads(1).directed_wake_ups(directed);
        assert!(builder.build().is_ok());
    }
}

#[test]
fn the_global_pool_heeds_the_environment_and_reports_errors_clearly() {
    let name = "the_global_pool_heeds_the_environment_and_reports_errors_clearly";
    match role() {
        Some(_) => {
            filch::join(|| (), || ());
            // Five jobs can meet only on five workers.
            let met = AtomicUsize::new(0);
            filch::scope(|s| {
                for _ in 0..5 {
                    s.spawn(|_| {
                        met.fetch_add(1, Ordering::Relaxed);
                        common::wait_until(|| met.load(Ordering::Relaxed) == 5);
                    });
                }
            });
        }
        None => {
            assert_success("5", &in_child(name, "child", &[("FILCH_NUM_THREADS", "5")]));
            let bad = in_child(name, "child", &[("FILCH_NUM_THREADS", "five")]);
            let said = String::from_utf8_lossy(&bad.stderr).into_owned();
            assert!(!bad.status.success());
            assert!(
                said.contains("FILCH_NUM_THREADS is not a whole number"),
                "{said}"
            );
        }
    }
}
