//! Threads that wait or block, and the threads that run in their stead.

use super::*;

/// A worker waits for a child on another, and the child for a job that neither may run: a spare
/// thread has to be started, and has to find the job wherever it lies.
#[test]
fn a_waiter_and_a_job_that_its_child_waits_for() {
    check_both(2, |pool| {
        let (stolen, unrelated) = (Gate::new(), Gate::new());
        pool.join(
            || {
                stolen.pass();
                let open = Arc::clone(&unrelated);
                drop(filch::spawn(move || open.open()));
            },
            || {
                stolen.open();
                unrelated.pass();
            },
        );
    });
}

/// As above with a fork instead of the job: it is not below what the waiter waits for.
#[test]
fn a_waiter_and_a_fork_elsewhere() {
    check_both(2, |pool| {
        let (stolen, forked) = (Gate::new(), Gate::new());
        pool.scope(|s| {
            s.spawn(|_| {
                join(
                    || stolen.pass(),
                    || {
                        stolen.open();
                        forked.pass();
                    },
                );
            });
            s.spawn(|_| forked.open());
        });
    });
}

/// The waiter goes on while the spare thread runs, and waits again.
#[test]
fn a_waiter_that_goes_on_and_waits_again() {
    check_both(2, |pool| {
        pool.install(|| {
            for _ in 0..2 {
                let (stolen, unrelated) = (Gate::new(), Gate::new());
                join(
                    || {
                        stolen.pass();
                        let open = Arc::clone(&unrelated);
                        drop(filch::spawn(move || open.open()));
                    },
                    || {
                        stolen.open();
                        unrelated.pass();
                    },
                );
            }
        });
    });
}

/// What a spare thread spawns goes into the queue of a worker, which may be asleep.
#[test]
fn a_spare_thread_that_spawns() {
    check_both(1, |pool| {
        let (first, second) = (Gate::new(), Gate::new());
        let blocked = {
            let second = Arc::clone(&second);
            pool.spawn(move || filch::blocking(|| second.pass()))
        };
        let spawning = {
            let (first, second) = (Arc::clone(&first), Arc::clone(&second));
            pool.spawn(move || {
                drop(filch::spawn(move || second.open()));
                first.open();
            })
        };
        first.pass();
        spawning.join().unwrap();
        blocked.join().unwrap();
    });
}

/// All workers block, and what opens the gate is spawned before or after.
#[test]
fn workers_that_all_block() {
    check_both(2, |pool| {
        let gate = Gate::new();
        let pass = || {
            let gate = Arc::clone(&gate);
            move || filch::blocking(|| gate.pass())
        };
        let blocked = [pass(), pass()].map(|pass| pool.spawn(pass));
        let open = Arc::clone(&gate);
        pool.spawn(move || open.open()).join().unwrap();
        for job in blocked {
            job.join().unwrap();
        }
    });
}

/// A fork inside blocking code, and a waiter there.
#[test]
fn a_join_in_blocking_code() {
    check_both(2, |pool| {
        let sum = pool.install(|| filch::blocking(|| join(|| fib(3), || fib(4))));
        assert_eq!(sum, (2, 3));
    });
}

/// A list: each worker waits for everything behind it, and reaches it through all the steals.
#[test]
fn a_list_of_joins() {
    fn list(gates: &[Arc<Gate>]) {
        if let Some((first, rest)) = gates.split_first() {
            // The rest is always on another thread.
            join(
                || first.pass(),
                || {
                    first.open();
                    list(rest);
                },
            );
        }
    }
    check_both(3, |pool| {
        let gates: [_; 5] = std::array::from_fn(|_| Gate::new());
        pool.install(|| list(&gates));
    });
}

/// A pool that is dropped while its jobs wait.
#[test]
fn a_pool_that_is_dropped_while_its_jobs_wait() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let pool = builder(2).idle(idle).build().unwrap();
            let done = Arc::new(AtomicUsize::new(0));
            for _ in 0..2 {
                let done = Arc::clone(&done);
                drop(pool.spawn(move || {
                    let gate = Gate::new();
                    let open = Arc::clone(&gate);
                    drop(filch::spawn(move || open.open()));
                    filch::blocking(|| gate.pass());
                    join(|| done.fetch_add(1, SeqCst), || done.fetch_add(1, SeqCst));
                }));
            }
            drop(pool);
            assert_eq!(done.load(SeqCst), 4);
        });
    }
}

/// A spare thread holds the number of the waiter when that goes on, and lets it go at the end of
/// its job.
#[test]
fn a_waiter_whose_number_is_held_goes_on_with_it() {
    check(|| {
        let pool = builder(2).numbers_below_workers().build().unwrap();
        pool.install(|| {
            let before = filch::internals::current_number();
            let (stolen, unrelated) = (Gate::new(), Gate::new());
            join(
                || {
                    stolen.pass();
                    let open = Arc::clone(&unrelated);
                    drop(filch::spawn(move || {
                        assert!(
                            filch::internals::current_number().is_some_and(|number| number < 2)
                        );
                        open.open();
                    }));
                },
                || {
                    stolen.open();
                    unrelated.pass();
                },
            );
            assert_eq!(filch::internals::current_number(), before);
        });
    });
}

/// Two workers and the only spare thread wait or are blocked, each for the next, and the last for a
/// job: a waiter has to run it, since no other thread could.
#[test]
fn a_waiter_runs_a_job_for_which_no_thread_is_left() {
    fn wait_in_turn(levels: usize) {
        let gate = Gate::new();
        let open = Arc::clone(&gate);
        if levels == 0 {
            drop(filch::spawn(move || open.open()));
            return gate.pass();
        }
        drop(filch::spawn(|| ()));
        join(
            || gate.pass(),
            || {
                open.open();
                wait_in_turn(levels - 1);
            },
        );
    }
    check(|| {
        let pool = builder(2).orders_as_rayon().spare_threads(1);
        pool.build().unwrap().install(|| wait_in_turn(3));
    });
}
