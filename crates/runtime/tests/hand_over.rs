//! A worker that waits or blocks leaves its processor to another thread of the pool.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use common::{Flag, finishes, pool};
use filch::{Pool, blocking, join, scope, spawn};

/// One worker waits for a child that the other has stolen, and the child waits for a job that
/// neither of them may run.
fn waits_for_an_unrelated_job(pool: &Pool, within: Duration) -> bool {
    pool.install(|| {
        let (stolen, unrelated) = (Flag::default(), Arc::new(Flag::default()));
        let raise = Arc::clone(&unrelated);
        let (job, was_run) = join(
            || {
                stolen.wait();
                spawn(move || raise.raise())
            },
            || {
                stolen.raise();
                unrelated.is_raised_within(within)
            },
        );
        job.join().unwrap();
        was_run
    })
}

#[test]
fn a_spare_thread_runs_what_a_waiter_may_not() {
    finishes(|| {
        let pool = pool(2);
        assert!(waits_for_an_unrelated_job(&pool, Duration::from_secs(15)));
        let metrics = pool.metrics();
        assert_eq!(metrics.workers.len(), 2);
        assert!(!metrics.spares.is_empty(), "{metrics:?}");
        assert!(metrics.total().hand_overs > 0, "{metrics:?}");
        assert!(metrics.total().waiting > Duration::ZERO, "{metrics:?}");
    });
}

#[test]
fn without_spare_threads_the_job_waits() {
    finishes(|| {
        let pool = Pool::builder().threads(2).spare_threads(0).build().unwrap();
        assert!(!waits_for_an_unrelated_job(
            &pool,
            Duration::from_millis(50)
        ));
        assert!(pool.metrics().spares.is_empty());
    });
}

/// Whatever waits, as many jobs run at once as there are workers.
#[test]
fn as_many_threads_run_as_there_are_workers() {
    finishes(|| {
        for workers in [2, 4, 8] {
            let pool = pool(workers);
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let leaf = |time: u64| {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                sleep(Duration::from_micros(time));
                running.fetch_sub(1, Ordering::SeqCst);
            };
            pool.scope(|s| {
                for _ in 0..20 * workers {
                    s.spawn(|_| {
                        join(|| leaf(100), || leaf(2_000));
                    });
                }
            });
            assert!(most.into_inner() >= workers);
            assert!(pool.metrics().spares.len() <= 3 * workers);
        }
    });
}

#[test]
fn a_pool_whose_workers_all_block_runs_what_is_spawned() {
    finishes(|| {
        for workers in [1, 2, 8] {
            let pool = pool(workers);
            let (senders, blocked): (Vec<_>, Vec<_>) = (0..workers)
                .map(|_| {
                    let (sender, receiver) = channel();
                    (sender, pool.spawn(move || blocking(|| receiver.recv())))
                })
                .unzip();
            let sent = pool.spawn(move || {
                senders.iter().for_each(|sender| sender.send(7).unwrap());
                senders.len()
            });
            assert_eq!(sent.join().unwrap(), workers);
            for job in blocked {
                assert_eq!(job.join().unwrap(), Ok(7));
            }
        }
    });
}

/// Outside every pool it only runs the closure; inside another blocking region it hands over once.
#[test]
fn blocking_regions_nest_and_may_fork() {
    finishes(|| {
        assert_eq!(blocking(|| blocking(|| 1)), 1);
        let pool = pool(2);
        for _ in 0..100 {
            let sum = pool.install(|| {
                blocking(|| {
                    let (a, b) = join(|| blocking(|| 1), || join(|| 2, || blocking(|| 3)));
                    a + b.0 + b.1
                })
            });
            assert_eq!(sum, 6);
        }
        assert!(waits_for_an_unrelated_job(&pool, Duration::from_secs(15)));
    });
}

/// The only worker blocks, in two regions, until a spare thread has run what it forked and spawned.
#[test]
fn what_a_blocked_worker_forked_is_run() {
    finishes(|| {
        let pool = Pool::builder().threads(1).spare_threads(1).build().unwrap();
        let (forked, spawned) = (Flag::default(), Arc::new(Flag::default()));
        pool.install(|| {
            scope(|s| {
                s.spawn(|_| forked.raise());
                let raise = Arc::clone(&spawned);
                blocking(|| {
                    forked.wait();
                    let job = blocking(|| {
                        // The spare thread sleeps by the end of this.
                        sleep(Duration::from_millis(20));
                        let job = spawn(move || raise.raise());
                        spawned.wait();
                        job
                    });
                    job.join().unwrap();
                });
            });
        });
    });
}

/// The only worker waits inside blocking code for a child that a spare thread runs. It is blocked
/// as before when it goes on: a thread comes for what is spawned next.
#[test]
fn a_wait_in_blocking_code_leaves_the_worker_blocked() {
    finishes(|| {
        let pool = Pool::builder().threads(1).spare_threads(1).build().unwrap();
        pool.install(|| {
            blocking(|| {
                for _ in 0..3 {
                    let (stolen, spawned) = (Flag::default(), Arc::new(Flag::default()));
                    join(
                        || stolen.wait(),
                        || {
                            stolen.raise();
                            // The waiter sleeps by the end of this.
                            sleep(Duration::from_millis(20));
                        },
                    );
                    let raise = Arc::clone(&spawned);
                    let job = spawn(move || raise.raise());
                    spawned.wait();
                    job.join().unwrap();
                }
            });
        });
    });
}

#[test]
fn a_panic_ends_a_blocking_region() {
    finishes(|| {
        let pool = pool(1);
        for _ in 0..10 {
            let job = pool.spawn(|| blocking(|| std::panic::resume_unwind(Box::new(5_i32))));
            let payload = job.join().unwrap_err();
            assert_eq!(payload.downcast_ref(), Some(&5_i32));
        }
        let (sender, receiver) = channel();
        let waiting = pool.spawn(move || blocking(|| receiver.recv()));
        pool.spawn(move || sender.send(1)).join().unwrap().unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(1));
    });
}

/// A closure sees one index, whatever it waits for, and no two that run at once see the same.
#[test]
fn indices_do_not_change_and_differ() {
    finishes(|| {
        let pool = pool(4);
        let used: Vec<AtomicBool> = (0..16).map(|_| AtomicBool::new(false)).collect();
        let alone = |time: u64| {
            let index = filch::current_worker().unwrap();
            assert!(!used[index].swap(true, Ordering::SeqCst), "two at {index}");
            sleep(Duration::from_micros(time));
            assert!(used[index].swap(false, Ordering::SeqCst));
            index
        };
        pool.scope(|s| {
            for _ in 0..200 {
                s.spawn(|_| {
                    let before = alone(10);
                    join(|| alone(50), || alone(500));
                    assert_eq!(alone(10), before);
                });
            }
        });
    });
}

/// rayon#592: a lock is held across a join, and other jobs want it. The threads that take over from
/// the waiting holder block on the lock, and must not keep it from going on.
#[test]
fn a_lock_held_across_a_join_while_others_take_over() {
    finishes(|| {
        for workers in [2, 3, 8] {
            let pool = pool(workers);
            let lock = Mutex::new(0);
            pool.scope(|s| {
                for _ in 0..30 * workers {
                    s.spawn(|_| {
                        let mut sum = lock.lock().unwrap();
                        let (a, b) = join(
                            || sleep(Duration::from_micros(20)),
                            || sleep(Duration::from_micros(200)),
                        );
                        *sum += usize::from((a, b) == ((), ()));
                    });
                }
            });
            assert_eq!(lock.into_inner().unwrap(), 30 * workers);
        }
    });
}

/// What is below is reached through any number of steals. Each element of the list ends only after
/// the next one was begun by another worker. So a worker that waits for all that comes after its
/// own element has to reach the last one, through all the steals between them.
#[test]
fn the_whole_of_a_list_is_below_its_first_worker() {
    fn list(elements: &[Flag]) {
        if let Some((next, rest)) = elements.split_first() {
            join(
                || next.wait(),
                || {
                    next.raise();
                    list(rest);
                },
            );
        }
    }
    finishes(|| {
        let pool = Pool::builder().threads(3).spare_threads(0).build().unwrap();
        for _ in 0..20 {
            let elements: Vec<Flag> = (0..40).map(|_| Flag::default()).collect();
            pool.install(|| list(&elements));
        }
    });
}

/// Scopes, whose children are spawned by children, on threads that take over from one another.
#[test]
fn scopes_that_grow_while_threads_take_over() {
    fn grow<'scope>(s: &filch::Scope<'scope>, depth: u32, count: &'scope AtomicUsize) {
        count.fetch_add(1, Ordering::Relaxed);
        if depth > 0 {
            for _ in 0..2 {
                s.spawn(move |s| {
                    join(
                        || sleep(Duration::from_micros(5)),
                        || sleep(Duration::from_micros(50)),
                    );
                    grow(s, depth - 1, count);
                });
            }
        }
    }
    finishes(|| {
        for workers in [1, 2, 8] {
            let pool = pool(workers);
            let count = AtomicUsize::new(0);
            pool.install(|| scope(|s| grow(s, 7, &count)));
            assert_eq!(count.into_inner(), (1 << 8) - 1);
        }
    });
}

/// The memory that this process may use, in bytes.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the C library sets limits")]
fn limit_memory(most: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: most,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` is ours.
    let error = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
    assert_eq!(error, 0, "the limit cannot be set");
}

/// The memory that this process uses, in bytes.
#[cfg(target_os = "linux")]
fn used_memory() -> libc::rlim_t {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmSize:"))
        .unwrap();
    let kibibytes: libc::rlim_t = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    1024 * kibibytes
}

/// The system gives no thread when one is asked for, and gives one later.
#[cfg(target_os = "linux")]
#[test]
fn a_spare_thread_that_was_refused_is_asked_for_again() {
    let name = "a_spare_thread_that_was_refused_is_asked_for_again";
    if common::role().is_none() {
        return common::assert_success(name, &common::in_child(name, "child", &[]));
    }
    const STACK: usize = 256 << 20;
    let started = Arc::new(AtomicUsize::new(0));
    let starts = Arc::clone(&started);
    let pool = Pool::builder()
        .threads(2)
        .stack_size(STACK)
        .spare_threads(2)
        .start_handler(move |_| {
            starts.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    // A thread that starts takes memory too, and the standard library ends the process that has
    // none for it.
    common::wait_until(|| started.load(Ordering::SeqCst) == 2);
    // Less than a stack is left.
    limit_memory(used_memory() + (STACK / 2) as libc::rlim_t);
    assert!(!waits_for_an_unrelated_job(
        &pool,
        Duration::from_millis(50)
    ));
    assert_eq!(pool.metrics().spares, [], "no spare thread was started");
    limit_memory(libc::RLIM_INFINITY);
    // The next attempt may come a second after the last that failed.
    let began = std::time::Instant::now();
    while !waits_for_an_unrelated_job(&pool, Duration::from_millis(50)) {
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "no thread is asked for"
        );
    }
    assert!(!pool.metrics().spares.is_empty());
    drop(pool);
}

/// Every thread that starts calls both handlers, once each and on itself, and every job that a
/// handler spawns is run.
#[test]
fn handlers_are_called_once_on_each_thread_with_spare_ones() {
    finishes(|| {
        for workers in [1, 2, 3] {
            let log = Arc::new(Mutex::new(Vec::new()));
            let ran = Arc::new(AtomicUsize::new(0));
            let note = |what: &'static str| {
                let (log, ran) = (Arc::clone(&log), Arc::clone(&ran));
                move |index: usize| {
                    assert_eq!(filch::current_worker(), Some(index));
                    let thread = std::thread::current().id();
                    log.lock().unwrap().push((index, what, thread));
                    let ran = Arc::clone(&ran);
                    drop(spawn(move || ran.fetch_add(1, Ordering::SeqCst)));
                }
            };
            let pool = Pool::builder().threads(workers).spare_threads(2 * workers);
            let pool = pool.start_handler(note("start")).exit_handler(note("exit"));
            let pool = pool.build().unwrap();
            let (senders, blocked): (Vec<_>, Vec<_>) = (0..2 * workers)
                .map(|_| {
                    let (sender, receiver) = channel();
                    (sender, pool.spawn(move || blocking(|| receiver.recv())))
                })
                .unzip();
            let sent = pool.spawn(move || senders.iter().for_each(|one| one.send(7).unwrap()));
            sent.join().unwrap();
            for job in blocked {
                assert_eq!(job.join().unwrap(), Ok(7));
            }
            let spares = pool.metrics().spares.len();
            drop(pool);
            let mut log = std::mem::take(&mut *log.lock().unwrap());
            log.sort_by_key(|&(index, what, _)| (index, what == "exit"));
            let threads = log.len() / 2;
            assert!(threads >= workers + spares);
            for (index, both) in log.chunks(2).enumerate() {
                let [(first, "start", started), (second, "exit", ended)] = *both else {
                    panic!("{both:?}");
                };
                assert_eq!((first, second), (index, index));
                assert_eq!(started, ended);
            }
            assert_eq!(ran.load(Ordering::SeqCst), 2 * threads);
        }
    });
}
