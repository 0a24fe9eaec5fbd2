//! A waiting worker runs only what is below what it waits for. The tests lead the workers, step by
//! step, into situations in which other work is within reach.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::{Flag, finishes, pool, wait_until};
use filch::{Pool, join, scope};

/// Long enough for a waiting worker to take what it must not take. If it is too short, a defect
/// goes unnoticed, but no correct run fails.
const TEMPTATION: Duration = Duration::from_millis(50);

/// Set while a worker is inside a join, to detect work that runs on top of it.
#[derive(Default)]
struct Held {
    by: std::sync::Mutex<Option<usize>>,
    broken: AtomicBool,
}

impl Held {
    /// Runs `work`, during which this worker must not run anything that calls [`check`](Self::check).
    fn while_running(&self, work: impl FnOnce()) {
        *self.by.lock().unwrap() = filch::current_worker();
        work();
        *self.by.lock().unwrap() = None;
    }

    /// Called by work that is not below the join.
    fn check(&self) {
        let here = *self.by.lock().unwrap() == filch::current_worker();
        self.broken.fetch_or(here, Ordering::Relaxed);
    }
}

/// Two workers. The second waits for a job that the first stole from it. The first has an older job
/// in its deque, which is not below what the second waits for.
#[test]
fn a_waiting_worker_leaves_the_next_job_of_a_scope_alone() {
    finishes(|| {
        let pool = pool(2);
        let held = Held::default();
        let (started, stolen, tempted) = (Flag::default(), Flag::default(), Flag::default());
        pool.scope(|s| {
            // Three children of a scope, stolen from the top: the first by the other worker.
            s.spawn(|_| {
                started.raise();
                held.while_running(|| {
                    join(
                        || stolen.wait(),
                        || {
                            stolen.raise();
                            tempted.is_raised_within(TEMPTATION);
                        },
                    );
                });
            });
            started.wait();
            for _ in 0..2 {
                s.spawn(|_| {
                    held.check();
                    tempted.raise();
                });
            }
        });
        assert!(!held.broken.into_inner());
    });
}

/// Three workers. W opened a scope, whose children run on Y and V. Y's child joins, and W, which
/// waits for the scope, helps with the join's second closure. Now Y waits for W. Further up, W also
/// waits for the scope, which V works for. But what V forks is not below Y's join.
#[test]
fn help_does_not_climb_over_the_helper_to_what_it_waits_for_further_up() {
    finishes(|| {
        let pool = pool(3);
        for _ in 0..3 {
            let held = Held::default();
            let (started, helped, tempted) = (Flag::default(), Flag::default(), Flag::default());
            let forked = Flag::default();
            pool.scope(|s| {
                s.spawn(|_| {
                    started.raise();
                    started.wait_for(2);
                    held.while_running(|| {
                        join(
                            || helped.wait(),
                            || {
                                helped.raise();
                                forked.wait();
                                tempted.is_raised_within(TEMPTATION);
                            },
                        );
                    });
                });
                s.spawn(|_| {
                    started.raise();
                    helped.wait();
                    join(
                        || {
                            forked.raise();
                            tempted.is_raised_within(TEMPTATION);
                        },
                        || {
                            held.check();
                            tempted.raise();
                        },
                    );
                });
                started.wait_for(2);
            });
            assert!(!held.broken.into_inner());
        }
    });
}

/// Two workers. W is in the first closure of a join, whose second closure lies in its deque. There
/// it waits for a scope whose child was spawned by a foreign thread and runs on V. W helps V, so V
/// waits for W. But what lies in W's deque is older than that help.
#[test]
fn a_helpers_older_work_is_not_below_what_it_helps_with() {
    finishes(|| {
        let pool = Pool::builder()
            .threads(2)
            .dispatch("round-robin".parse().unwrap())
            .build();
        let pool = pool.unwrap();
        // A worker that has not started counts as busy, and the other would take its job.
        wait_until(|| pool.metrics().workers.iter().all(|worker| worker.parks > 0));
        let held = Held::default();
        let (busy, free) = (Flag::default(), Flag::default());
        let (started, helped, tempted) = (Flag::default(), Flag::default(), Flag::default());
        let (started, helped, tempted, held_by) = (&started, &helped, &tempted, &held);
        let foreign_child = || {
            started.raise();
            held_by.while_running(|| {
                join(
                    || helped.wait(),
                    || {
                        helped.raise();
                        tempted.is_raised_within(TEMPTATION);
                    },
                );
            });
        };
        let first_half = || {
            filch::scope(|s| {
                // To worker 1, which is still busy, so that it does not steal the second closure.
                thread::scope(|threads| {
                    threads.spawn(|| s.spawn(move |_| foreign_child()));
                });
                free.raise();
                started.wait();
            });
        };
        let second_half = || {
            held_by.check();
            tempted.raise();
        };
        thread::scope(|threads| {
            // In turn: worker 0, then worker 1, and so on.
            pool.install(|| assert_eq!(filch::current_worker(), Some(0)));
            threads.spawn(|| {
                pool.install(|| {
                    assert_eq!(filch::current_worker(), Some(1));
                    busy.raise();
                    free.wait();
                });
            });
            busy.wait();
            pool.install(|| {
                assert_eq!(filch::current_worker(), Some(0));
                join(first_half, second_half);
            });
        });
        assert!(!held.broken.into_inner());
    });
}

/// A has one worker, which waits for B. An unrelated call comes from B's other worker. A's worker
/// does not wait for it, and it might take a lock that is held there.
#[test]
fn a_worker_that_waits_for_another_pool_leaves_unrelated_calls_alone() {
    finishes(|| {
        let (a, b) = (pool(1), pool(2));
        let held = Held::default();
        let (waits, tempted) = (Flag::default(), Flag::default());
        thread::scope(|threads| {
            threads.spawn(|| {
                a.install(|| {
                    held.while_running(|| {
                        b.install(|| {
                            waits.raise();
                            tempted.is_raised_within(TEMPTATION);
                        });
                    });
                });
            });
            threads.spawn(|| {
                b.install(|| {
                    waits.wait();
                    a.install(|| {
                        held.check();
                        tempted.raise();
                    });
                });
            });
        });
        assert!(!held.broken.into_inner());
    });
}

/// Two workers. One waits for a scope, whose child runs on the other. The two halves of `meet` can
/// end only if the waiting worker runs one of them.
fn check_help(meet: impl Fn(&Flag, &Flag) + Sync) {
    let pool = pool(2);
    for pause in [Duration::ZERO, Duration::from_millis(5)] {
        let (stolen, left, right) = (Flag::default(), Flag::default(), Flag::default());
        pool.scope(|s| {
            s.spawn(|_| {
                stolen.raise();
                // Time for the waiting worker to fall asleep.
                thread::sleep(pause);
                meet(&left, &right);
            });
            stolen.wait();
        });
    }
}

fn raise_and_wait(mine: &Flag, other: &Flag) {
    mine.raise();
    other.wait();
}

#[test]
fn a_waiting_worker_helps_with_a_join_below_it() {
    finishes(|| {
        check_help(|left, right| {
            join(
                || raise_and_wait(left, right),
                || raise_and_wait(right, left),
            );
        });
    });
}

#[test]
fn a_waiting_worker_helps_with_a_scope_below_it() {
    finishes(|| {
        check_help(|left, right| {
            scope(|s| {
                s.spawn(|_| raise_and_wait(left, right));
                s.spawn(|_| raise_and_wait(right, left));
            });
        });
    });
}

#[test]
fn a_waiting_worker_helps_with_a_join_inside_a_scope_below_it() {
    finishes(|| {
        check_help(|left, right| {
            scope(|s| {
                s.spawn(|_| {
                    join(
                        || raise_and_wait(left, right),
                        || raise_and_wait(right, left),
                    );
                });
            });
        });
    });
}

/// Two workers. One waits for a scope. A child of the scope lies in a queue, and the other worker
/// has a fork that is below the scope too. The child is older and larger, as a rule, and comes
/// first.
#[test]
fn a_child_in_a_queue_comes_before_forks() {
    finishes(|| {
        let pool = Pool::builder().threads(2).spare_threads(0).build();
        let pool = pool.expect("the threads start");
        let (started, forked) = (Flag::default(), Flag::default());
        let first = OnceLock::new();
        pool.scope(|s| {
            s.spawn(|s| {
                started.raise();
                join(
                    || {
                        join(
                            || {
                                forked.raise();
                                // A worker that forks shows its older forks to thieves.
                                while first.get().is_none() {
                                    join(|| (), || ());
                                }
                            },
                            || _ = first.set("fork"),
                        );
                    },
                    // The worker that waits for the scope runs this. It is not near the scope, so
                    // the child goes to a queue.
                    || {
                        s.spawn(|_| _ = first.set("child"));
                        forked.wait();
                    },
                );
            });
            started.wait();
        });
        assert_eq!(first.into_inner(), Some("child"));
    });
}

/// All workers of a pool wait for another pool, and any of them may serve a call from there. One is
/// woken for each call, not all.
#[test]
fn a_call_wakes_one_worker_that_waits_outside() {
    const WAITERS: usize = 8;
    const CALLS: u64 = 20;
    finishes(|| {
        let builder = || Pool::builder().threads(WAITERS).spare_threads(0);
        let (pool, other) = (builder().build().unwrap(), builder().build().unwrap());
        let (started, go, end) = (Flag::default(), Flag::default(), Flag::default());
        let parks = || pool.metrics().total().parks;
        let call_back = || {
            go.wait();
            let before = parks();
            for _ in 0..CALLS {
                pool.install(|| ());
                // The workers that were woken fall asleep again. If this is too short, a defect
                // goes unnoticed, but no correct run fails.
                thread::sleep(Duration::from_millis(5));
            }
            let parks = parks() - before;
            end.raise();
            // At first some workers may not have slept yet.
            assert!(parks <= CALLS + WAITERS as u64, "{parks} sleeps");
        };
        let wait_outside = |within: &(dyn Fn() + Sync)| {
            other.install(|| {
                started.raise();
                within();
            });
        };
        thread::scope(|s| {
            // The first call to the other pool is the oldest, so what is called within it precedes
            // all others.
            s.spawn(|| pool.install(|| wait_outside(&call_back)));
            started.wait();
            for _ in 1..WAITERS {
                s.spawn(|| pool.install(|| wait_outside(&|| end.wait())));
            }
            started.wait_for(WAITERS);
            go.raise();
        });
    });
}
