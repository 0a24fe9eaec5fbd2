//! Whole pools under random schedules, with shuttle:
//! `RUSTFLAGS="--cfg shuttle" cargo test -p filch --test shuttle --release`.
//!
//! Each model runs under some thousands of schedules drawn at random and as many with few preemptions
//! (PCT), always from the same seed; `FILCH_SHUTTLE_SCHEDULES` asks for another number of each. A
//! schedule fails if a thread panics, if all threads are blocked, or if they never come to an end.
//!
//! shuttle's memory is sequentially consistent: these models find wrong steps, and loom's find wrong
//! orderings. Many of them use a [`Gate`] to say more than that work gets done in the end: a job that
//! blocks at a gate which only another job opens insists that *another worker* comes for that job.
#![cfg(shuttle)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use filch::internals::{PoolRef, WorkerStart};
use filch::{BroadcastContext, IdlePolicy, Pool, PoolBuilder, StealFunction, join, scope};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::{Config, Runner, thread};

const SEED: u64 = 1;
const SCHEDULES: usize = 3_000;

fn check(model: impl Fn() + Send + Sync + 'static) {
    let schedules = std::env::var("FILCH_SHUTTLE_SCHEDULES").map_or(SCHEDULES, |number| {
        number.parse().expect("a number of schedules")
    });
    let model = Arc::new(model);
    run(
        RandomScheduler::new_from_seed(SEED, schedules),
        Arc::clone(&model),
    );
    run(PctScheduler::new_from_seed(SEED, 3, schedules), model);
}

fn run(scheduler: impl Scheduler + 'static, model: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    // They say that all orderings are taken for SeqCst, which is said above.
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || model());
}

/// Workers that search before they sleep, as by default, and workers that do not.
fn check_both(workers: usize, model: impl Fn(&Pool) + Send + Sync + 'static) {
    let model = Arc::new(model);
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        let model = Arc::clone(&model);
        check(move || model(&builder(workers).idle(idle).build().unwrap()));
    }
}

fn builder(workers: usize) -> PoolBuilder {
    Pool::builder().threads(workers)
}

/// Closed until somebody opens it.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::default()
    }

    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap();
        }
    }
}

/// A panic that no hook prints.
fn give_up(why: &'static str) -> ! {
    resume_unwind(Box::new(why))
}

fn why(panic: Box<dyn std::any::Any + Send>) -> &'static str {
    panic
        .downcast_ref::<&'static str>()
        .expect("a panic of `give_up`")
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

// ---- Strict work.

#[test]
fn join_tree_on_two_workers() {
    check_both(2, |pool| assert_eq!(pool.install(|| fib(5)), 5));
}

#[test]
fn join_tree_on_three_workers() {
    check_both(3, |pool| assert_eq!(pool.install(|| fib(5)), 5));
}

#[test]
fn scope_with_nested_spawns() {
    check_both(2, |pool| {
        let sum = AtomicUsize::new(0);
        pool.scope(|s| {
            for i in 0..2 {
                let sum = &sum;
                s.spawn(move |s| {
                    sum.fetch_add(i, SeqCst);
                    s.spawn(move |_| {
                        let (a, b) = join(|| 10, || 20);
                        sum.fetch_add(a + b, SeqCst);
                    });
                });
            }
        });
        assert_eq!(sum.into_inner(), 61);
    });
}

/// A scope inside a child of a join, and a join inside a child of a scope.
#[test]
fn scopes_and_joins_inside_each_other() {
    check_both(3, |pool| {
        let sum = AtomicUsize::new(0);
        let spawn_two = || {
            scope(|s| {
                s.spawn(|_| _ = join(|| sum.fetch_add(1, SeqCst), || sum.fetch_add(2, SeqCst)));
                s.spawn(|_| _ = sum.fetch_add(4, SeqCst));
            });
        };
        pool.join(spawn_two, spawn_two);
        assert_eq!(sum.into_inner(), 14);
    });
}

/// Children that come from a thread outside the pool while a worker waits for the scope.
#[test]
fn scope_fed_from_outside() {
    check_both(2, |pool| {
        let sum = AtomicUsize::new(0);
        let sum = &sum;
        pool.scope(|s| {
            // The worker that runs the closure blocks here, so the thread is outside indeed.
            thread::scope(|threads| {
                threads.spawn(|| s.spawn(move |_| _ = sum.fetch_add(1, SeqCst)));
            });
            s.spawn(move |_| _ = sum.fetch_add(2, SeqCst));
        });
        assert_eq!(sum.load(SeqCst), 3);
    });
}

// ---- Threads from outside in the place of a sleeper. All models that call `Pool::join` or
// `Pool::scope` do that where a worker sleeps by then; these insist on what is particular to it.

/// Both take a place, or one waits for the other; then there is a job for whoever sleeps.
#[test]
fn two_callers_and_a_job() {
    check_both(1, |pool| {
        thread::scope(|s| {
            s.spawn(|| assert_eq!(pool.scope(|_| fib(2)), 1));
            s.spawn(|| assert_eq!(pool.scope(|_| fib(3)), 2));
        });
        assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
    });
}

/// Nobody but the worker in whose place the caller was can run the job.
#[test]
fn a_job_left_in_a_lent_place() {
    check_both(1, |pool| {
        let job = pool.scope(|_| filch::spawn(|| 1));
        assert_eq!(job.join().unwrap(), 1);
    });
}

#[test]
fn a_job_sent_to_a_lent_place() {
    check_both(1, |pool| {
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| ()));
            s.spawn(|| assert_eq!(pool.spawn(|| 1).join().unwrap(), 1));
        });
    });
}

/// The caller forks, sleeps until a worker has run the stolen half, and gives its place back to a worker
/// that has to come for another fork.
#[test]
fn a_fork_while_a_place_is_given_back() {
    check_both(2, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.join(|| gate.pass(), || gate.open()));
            s.spawn(|| assert_eq!(pool.scope(|_| fib(3)), 2));
        });
    });
}

/// The job may be sent to the place of the first, who waits for it.
#[test]
fn a_job_behind_a_caller() {
    check_both(2, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| gate.pass()));
            s.spawn(|| {
                let gate = Arc::clone(&gate);
                pool.spawn(move || gate.open()).join().unwrap();
            });
        });
    });
}

/// Whoever takes a place stops searching for all, and has to look whether there is more.
#[test]
fn a_fork_while_a_place_is_taken() {
    check_both(3, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| gate.pass()));
            s.spawn(|| pool.join(|| gate.pass(), || gate.open()));
        });
    });
}

#[test]
fn a_caller_that_panics() {
    check_both(2, |pool| {
        let panics = || pool.join(|| give_up("first"), || fib(2));
        let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(why(panic), "first");
        assert_eq!(pool.scope(|_| fib(3)), 2);
    });
}

// ---- Nobody sleeps while there is something for them.

/// The first child does not end before the second has begun: an idle worker has to come for it.
#[test]
fn an_idle_worker_comes_for_a_fork() {
    check_both(2, |pool| {
        let gate = Gate::new();
        pool.join(|| gate.pass(), || gate.open());
    });
}

/// Two forks that both need somebody else, one after the other.
#[test]
fn idle_workers_come_for_every_fork() {
    check_both(3, |pool| {
        let (first, second) = (Gate::new(), Gate::new());
        pool.join(
            || first.pass(),
            || {
                first.open();
                join(|| second.pass(), || second.open())
            },
        );
    });
}

/// A worker waits for a stolen child, and the child needs it: there is no third worker.
#[test]
fn a_waiting_worker_helps_below() {
    check_both(2, |pool| {
        let (stolen, helped) = (Gate::new(), Gate::new());
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                join(|| helped.pass(), || helped.open())
            },
        );
    });
}

/// The same again and again: the waiting worker has to be woken for each.
#[test]
fn a_waiting_worker_helps_below_twice() {
    check_both(2, |pool| {
        let gates = [Gate::new(), Gate::new(), Gate::new()];
        let [stolen, first, second] = &gates;
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                join(|| first.pass(), || first.open());
                join(|| second.pass(), || second.open());
            },
        );
    });
}

/// The child of a scope needs the worker that waits for the scope.
#[test]
fn a_scope_helps_below() {
    check_both(2, |pool| {
        let (stolen, helped) = (Gate::new(), Gate::new());
        pool.scope(|s| {
            s.spawn(|_| {
                stolen.open();
                join(|| helped.pass(), || helped.open());
            });
            stolen.pass();
        });
    });
}

/// A thief helps below its own join and comes back to the child that it has stolen. Whoever waits for
/// that child fell asleep meanwhile, and is needed when the child forks again.
#[test]
fn a_waiting_worker_is_not_forgotten_while_its_thief_helps() {
    check_both(3, |pool| {
        let gates: [_; 5] = std::array::from_fn(|_| Gate::new());
        let [stolen, deep, nested, kept, last] = &gates;
        let blocker = {
            let (kept, last) = (Arc::clone(kept), Arc::clone(last));
            move || {
                kept.open();
                last.pass();
            }
        };
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                // A third worker takes the second child, whose own second child may come back here.
                // It goes on to a job that keeps it busy, so only one is left for the last fork.
                join(
                    || deep.pass(),
                    || {
                        deep.open();
                        join(
                            || nested.pass(),
                            || {
                                nested.open();
                                join(|| (), || ());
                            },
                        );
                        drop(filch::spawn(blocker));
                    },
                );
                kept.pass();
                join(|| last.pass(), || last.open());
            },
        );
    });
}

// ---- Panics.

#[test]
fn panic_in_the_second_child() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(|| done.fetch_add(1, SeqCst), || give_up("second"))
        }));
        assert_eq!(why(joined.unwrap_err()), "second");
        assert_eq!(done.into_inner(), 1);
        assert_eq!(pool.install(|| fib(2)), 1, "the pool lives on");
    });
}

#[test]
fn panic_in_the_first_child_waits_for_the_second() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                || give_up("first"),
                || join(|| done.fetch_add(1, SeqCst), || ()),
            )
        }));
        assert_eq!(why(joined.unwrap_err()), "first");
        assert_eq!(done.into_inner(), 1);
    });
}

/// The second child is stolen for certain, and both panic.
#[test]
fn panics_on_two_workers() {
    check_both(2, |pool| {
        let stolen = Gate::new();
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                || {
                    stolen.pass();
                    give_up("first")
                },
                || {
                    stolen.open();
                    give_up("second")
                },
            )
        }));
        assert_eq!(why(joined.unwrap_err()), "first");
    });
}

#[test]
fn panics_in_a_scope() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let scoped = catch_unwind(AssertUnwindSafe(|| {
            pool.scope(|s| {
                s.spawn(|s| {
                    s.spawn(|_| _ = done.fetch_add(1, SeqCst));
                    give_up("child")
                });
                s.spawn(|_| _ = done.fetch_add(1, SeqCst));
            })
        }));
        assert_eq!(why(scoped.unwrap_err()), "child");
        assert_eq!(done.into_inner(), 2);
    });
}

// ---- Broadcasts and scopes in place.

/// Every worker runs its own share, whatever it was doing.
#[test]
fn broadcast_from_outside() {
    check_both(2, |pool| {
        assert_eq!(pool.broadcast(|worker| worker.index()), [0, 1])
    });
}

/// The first worker waits for the second, which waits for the first to run its share.
#[test]
fn broadcast_below_a_waiting_worker() {
    check_both(2, |pool| {
        let gate = Gate::new();
        let waits = || gate.pass();
        let broadcasts = || {
            gate.open();
            scope(|s| s.spawn_broadcast(|_, _| ()));
        };
        pool.join(waits, broadcasts);
    });
}

#[test]
fn broadcasts_from_two_workers() {
    check_both(2, |pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        let broadcast = || {
            let runs = Arc::clone(&runs);
            scope(|s| {
                s.spawn_broadcast(move |_, _| {
                    runs.fetch_add(1, SeqCst);
                });
            });
        };
        pool.join(broadcast, broadcast);
        assert_eq!(runs.load(SeqCst), 4);
    });
}

/// A worker that waits within the older of two calls must leave the share of the younger one: it waits for
/// a pool whose only worker waits for the older.
#[test]
fn broadcast_to_a_worker_of_an_older_call() {
    check(|| {
        let pools = Arc::new([1, 2, 1].map(|workers| builder(workers).build().unwrap()));
        let gate = Gate::new();
        let (older, younger) = (Arc::clone(&pools), Arc::clone(&pools));
        let called = Arc::clone(&gate);
        let older = thread::spawn(move || {
            older[0].install(|| older[1].join(|| called.open(), thread::yield_now));
        });
        gate.pass();
        younger[2].install(|| {
            younger[1].broadcast(|_| younger[0].install(|| ()));
        });
        older.join().unwrap();
    });
}

#[test]
fn scope_in_place() {
    check_both(2, |pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        pool.in_place_scope(|s| {
            for _ in 0..2 {
                let runs = Arc::clone(&runs);
                s.spawn(move |s| {
                    s.spawn(move |_| {
                        runs.fetch_add(1, SeqCst);
                    });
                });
            }
        });
        assert_eq!(runs.load(SeqCst), 2);
    });
}

#[test]
fn scope_in_place_on_a_worker_of_another_pool() {
    check(|| {
        let pools = [(); 2].map(|()| builder(1).build().unwrap());
        let runs = Arc::new(AtomicUsize::new(0));
        // The only worker of the first pool waits for the second, and has to run the child.
        pools[0].install(|| {
            pools[1].install(|| {
                pools[0].in_place_scope(|s| {
                    let runs = Arc::clone(&runs);
                    s.spawn(move |_| {
                        runs.fetch_add(1, SeqCst);
                    });
                });
            });
        });
        assert_eq!(runs.load(SeqCst), 1);
    });
}

// ---- Independent jobs.

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

/// Two jobs that wait for each other's beginning: a batch goes to both idle workers.
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
        // The handle may be dropped after the job has ended, and then nobody is told.
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

/// Shares of broadcasts are among what it has accepted.
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

/// One of the workers never gets a thread: jobs that are sent to it are taken by the others, and these end
/// without it, whenever that is known.
#[test]
fn a_worker_that_never_begins() {
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

/// One worker's queue holds a job that waits for the one behind it, while another worker sleeps.
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

/// The same with a worker's own jobs, of which the sleeper can have one when the other is in service.
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

/// Whoever asks gets everything, so a dispatched job may be gone when its worker wakes up.
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

// ---- More than one pool.

#[test]
fn pools_that_call_each_other() {
    check(|| {
        let (a, b) = (builder(1).build().unwrap(), builder(1).build().unwrap());
        thread::scope(|threads| {
            threads.spawn(|| assert_eq!(a.install(|| b.install(|| a.install(|| 1))), 1));
            threads.spawn(|| assert_eq!(b.install(|| a.install(|| b.install(|| 2))), 2));
        });
    });
}

/// A worker that waits for another pool runs a call, which forks and waits in its turn, while further
/// calls arrive.
#[test]
fn calls_that_wait() {
    check(|| {
        let (a, b) = (builder(3).build().unwrap(), builder(2).build().unwrap());
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| assert_eq!(a.install(|| b.install(|| a.install(|| fib(3)))), 2));
            }
        });
    });
}

/// A pool ends as soon as its last call has come back from the other pool.
#[test]
fn drop_after_a_call() {
    check(|| {
        let b = builder(1).build().unwrap();
        assert_eq!(builder(1).build().unwrap().install(|| b.install(|| 3)), 3);
    });
}

/// A job waits for one that it has spawned on another pool, which calls back.
#[test]
fn job_that_waits_for_a_job_of_another_pool() {
    check(|| {
        let a = Arc::new(builder(1).name(|_| "a".into()).build().unwrap());
        let b = Arc::new(builder(1).name(|_| "b".into()).build().unwrap());
        let (back, there) = (Arc::clone(&a), Arc::clone(&b));
        let name = || thread::current().name().map(str::to_owned);
        let names = a.install(move || {
            there
                .spawn(move || (name(), back.install(name)))
                .join()
                .unwrap()
        });
        assert_eq!(names, (Some("b".into()), Some("a".into())));
    });
}

/// The last owner of a pool is one of its jobs.
#[test]
fn job_that_owns_its_pool() {
    check(|| {
        let pool = Arc::new(builder(2).build().unwrap());
        let own = Arc::clone(&pool);
        let released = Gate::new();
        let (wait, ended) = (Arc::clone(&released), Gate::new());
        let end = Arc::clone(&ended);
        drop(pool.spawn(move || {
            wait.pass();
            drop(own);
            end.open();
        }));
        drop(pool);
        released.open();
        ended.pass();
    });
}
