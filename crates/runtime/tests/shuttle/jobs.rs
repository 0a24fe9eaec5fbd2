//! Independent jobs.

use super::*;

#[test]
fn spawn_from_outside() {
    check_both(2, |pool| {
        let handles: Vec<_> = (0..3).map(|i| pool.spawn(move || i)).collect();
        let sum: usize = handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .sum();
        assert_eq!(sum, 3);
    });
}

#[test]
fn spawn_from_two_threads_and_from_jobs() {
    check_both(2, |pool| {
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let job = pool.spawn(|| filch::spawn(|| 7).join().unwrap());
                    assert_eq!(job.join().unwrap(), 7);
                });
            }
        });
    });
}

#[test]
fn batch() {
    check_both(3, |pool| {
        let handles = pool.spawn_batch((0..4).map(|i| move || i));
        let results: Vec<_> = handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect();
        assert_eq!(results, [0, 1, 2, 3]);
    });
}

/// Two jobs that wait for each other to begin: a batch goes to both idle workers.
#[test]
fn batch_on_two_workers() {
    check_both(2, |pool| {
        let gates = [Gate::new(), Gate::new()];
        let handles = pool.spawn_batch((0..2).map(|i| {
            let gates = gates.clone();
            move || {
                gates[i].open();
                gates[1 - i].pass();
            }
        }));
        handles
            .into_iter()
            .for_each(|handle| handle.join().unwrap());
    });
}

#[test]
fn job_that_panics() {
    check(|| {
        let reported = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&reported);
        let pool = builder(2)
            .panic_handler(move |panic| {
                assert_eq!(why(panic), "unheard");
                count.fetch_add(1, SeqCst);
            })
            .build()
            .unwrap();
        drop(pool.spawn(|| give_up("unheard")));
        let heard = pool.spawn(|| give_up("heard"));
        assert_eq!(why(heard.join().unwrap_err()), "heard");
        drop(pool);
        // The handle may be dropped after the job has ended, and then the handler is not called.
        assert!(reported.load(SeqCst) <= 1);
    });
}

/// Dropping the pool runs everything that it has accepted, and what that spawns.
#[test]
fn drop_with_jobs_outstanding() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let done = Arc::new(AtomicUsize::new(0));
            let pool = builder(2).idle(idle).build().unwrap();
            for _ in 0..2 {
                let done = Arc::clone(&done);
                drop(pool.spawn(move || {
                    let more = Arc::clone(&done);
                    drop(filch::spawn(move || more.fetch_add(1, SeqCst)));
                    join(|| done.fetch_add(1, SeqCst), || done.fetch_add(1, SeqCst));
                }));
            }
            drop(pool);
            assert_eq!(done.load(SeqCst), 6);
        });
    }
}

/// The same for shares of broadcasts.
#[test]
fn drop_with_broadcasts_outstanding() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let done = Arc::new(AtomicUsize::new(0));
            let pool = builder(2).idle(idle).build().unwrap();
            for _ in 0..2 {
                let done = Arc::clone(&done);
                PoolRef::of(&pool).spawn_broadcast(move |worker| {
                    let more = Arc::clone(&done);
                    if worker.index() == 0 {
                        let again = move |_: BroadcastContext<'_>| _ = more.fetch_add(1, SeqCst);
                        PoolRef::current(|| unreachable!(), |pool| pool.spawn_broadcast(again));
                    }
                    done.fetch_add(1, SeqCst);
                });
            }
            drop(pool);
            assert_eq!(done.load(SeqCst), 8);
        });
    }
}

/// One of the workers never gets a thread. The others take the jobs that are sent to it, and end
/// without it, whenever that is known.
#[test]
fn a_worker_that_never_starts() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let mut threads = Vec::new();
            let mut never = None;
            let spawn = |worker: WorkerStart| {
                if worker.index() == 0 {
                    never = Some(worker);
                } else {
                    threads.push(thread::spawn(|| worker.run()));
                }
                Ok(())
            };
            let pool = builder(3).idle(idle).build_with(|_| None, false, spawn);
            let pool = pool.unwrap();
            let gives_up = thread::spawn(move || drop(never));
            for _ in 0..3 {
                pool.spawn(|| ()).join().unwrap();
            }
            drop(pool);
            gives_up.join().unwrap();
            for thread in threads {
                thread.join().unwrap();
            }
        });
    }
}

/// A job of a pool that is being dropped may need a second worker.
#[test]
fn a_pool_that_is_dropped_keeps_its_workers_to_the_end() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let gate = Gate::new();
            let pool = builder(2).idle(idle).build().unwrap();
            drop(pool.spawn(move || {
                let opens = Arc::clone(&gate);
                drop(filch::spawn(move || opens.open()));
                gate.pass();
            }));
            drop(pool);
        });
    }
}

#[test]
fn drop_of_a_pool_that_did_nothing() {
    check_both(3, |_| ());
}

/// One worker's queue holds a job behind the one that waits for it, while another worker sleeps.
#[test]
fn a_job_behind_one_that_waits() {
    check(|| {
        let pool = builder(2)
            .dispatch("round-robin".parse().unwrap())
            .build()
            .unwrap();
        let gate = Gate::new();
        let waits = Arc::clone(&gate);
        // In turn: the first and the third go to the same worker.
        let first = pool.spawn(move || waits.pass());
        pool.spawn(|| ()).join().unwrap();
        pool.spawn(move || gate.open()).join().unwrap();
        first.join().unwrap();
    });
}

/// The same with a worker's own jobs: the sleeper can take one while the other is in service.
#[test]
fn a_job_behind_one_that_waits_on_its_own_worker() {
    check_both(2, |pool| {
        let gate = Gate::new();
        let waits = Arc::clone(&gate);
        pool.spawn(move || {
            drop(filch::spawn(move || waits.pass()));
            drop(filch::spawn(move || gate.open()));
        })
        .join()
        .unwrap();
    });
}

/// A request takes all jobs, so a dispatched job may be gone when its worker wakes up.
#[test]
fn jobs_that_are_all_taken() {
    check(|| {
        let pool = builder(2).steal(StealFunction::ONE).build().unwrap();
        for _ in 0..2 {
            let gate = Gate::new();
            let waits = Arc::clone(&gate);
            let first = pool.spawn(move || waits.pass());
            pool.spawn(move || gate.open()).join().unwrap();
            first.join().unwrap();
        }
    });
}

/// Workers come for a burst in turn, and each comes: every job waits for the one after it.
#[test]
fn a_burst_whose_jobs_wait_for_one_another() {
    check_both(3, |pool| {
        let (second, third) = (Gate::new(), Gate::new());
        let (waits, opens) = (Arc::clone(&second), Arc::clone(&third));
        let first = pool.spawn(move || waits.pass());
        let middle = pool.spawn(move || {
            third.pass();
            second.open();
        });
        pool.spawn(move || opens.open()).join().unwrap();
        middle.join().unwrap();
        first.join().unwrap();
    });
}
