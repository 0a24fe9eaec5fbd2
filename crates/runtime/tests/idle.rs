//! A pool without work uses no processor, and wakes up whenever there is work.
#![cfg(all(target_os = "linux", not(any(loom, shuttle))))]
#![allow(
    unsafe_code,
    reason = "the C library has the processor time of a thread"
)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{Flag, IDLE_POLICIES, finishes, wait_until};
use filch::{IdlePolicy, Pool, join};

/// The clock of the processor time of the current thread, which any thread may read.
fn own_clock() -> libc::clockid_t {
    let mut clock = 0;
    // SAFETY: the thread is the current one, so it lives.
    let own = unsafe { libc::pthread_self() };
    // SAFETY: `clock` is ours, and `own` lives.
    let error = unsafe { libc::pthread_getcpuclockid(own, &mut clock) };
    assert_eq!(error, 0, "the thread has no clock");
    clock
}

fn read(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is ours.
    let error = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(error, 0, "the clock cannot be read");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A pool, and the clocks of its workers.
fn clocked(threads: usize, idle: IdlePolicy) -> (Pool, Vec<libc::clockid_t>) {
    let clocks = Arc::new(Mutex::new(Vec::new()));
    let enter = Arc::clone(&clocks);
    let pool = Pool::builder()
        .threads(threads)
        .idle(idle)
        .start_handler(move |_| enter.lock().unwrap().push(own_clock()))
        .build()
        .unwrap();
    wait_until(|| clocks.lock().unwrap().len() == threads);
    let clocks = clocks.lock().unwrap().clone();
    (pool, clocks)
}

fn used(clocks: &[libc::clockid_t]) -> Duration {
    clocks.iter().map(|&clock| read(clock)).sum()
}

#[test]
fn a_pool_that_is_idle_for_a_second_uses_no_measurable_processor_time() {
    finishes(|| {
        let pools = [IdlePolicy::Park, IdlePolicy::default()].map(|idle| {
            let (pool, clocks) = clocked(4, idle);
            pool.join(|| 1, || 2);
            (pool, clocks)
        });
        thread::sleep(Duration::from_millis(20));
        let before = pools.each_ref().map(|(_, clocks)| used(clocks));
        thread::sleep(Duration::from_secs(1));
        for ((_, clocks), before) in pools.iter().zip(before) {
            let used = used(clocks) - before;
            assert!(
                used < Duration::from_millis(5),
                "{used:?} in a second without work"
            );
        }
    });
}

/// Workers that wait for a child, for another pool, and for work.
#[test]
fn workers_that_wait_for_a_long_child_use_no_measurable_processor_time() {
    finishes(|| {
        let (pool, clocks) = clocked(3, IdlePolicy::default());
        let other = common::pool(1);
        let (started, end) = (Flag::default(), Flag::default());
        let blocked = || {
            started.raise();
            while !end.is_raised() {
                thread::sleep(Duration::from_millis(50));
            }
        };
        thread::scope(|threads| {
            threads.spawn(|| pool.join(|| started.wait_for(2), blocked));
            threads.spawn(|| pool.install(|| other.install(blocked)));
            started.wait_for(2);
            thread::sleep(Duration::from_millis(20));
            let before = used(&clocks);
            thread::sleep(Duration::from_secs(1));
            let used = used(&clocks) - before;
            end.raise();
            assert!(
                used < Duration::from_millis(5),
                "{used:?} in a second of waiting"
            );
        });
    });
}

/// A control of the measurement: a worker that spins is seen to use processor time.
#[test]
fn a_pool_that_spins_uses_processor_time() {
    finishes(|| {
        let (_pool, clocks) = clocked(1, IdlePolicy::Spin);
        let before = used(&clocks);
        wait_until(|| used(&clocks) - before > Duration::from_millis(5));
    });
}

/// Pauses between two pieces of work, so that workers are met searching, falling asleep and asleep.
const PAUSES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
];

/// For the rounds with one pool and one pause, after the first few.
const MOST_TIME: Duration = Duration::from_millis(500);

fn pause(time: Duration) {
    if time < Duration::from_millis(1) {
        common::compute_for(time);
    } else {
        thread::sleep(time);
    }
}

/// Runs `work` many times on pools of all idle policies, with all pauses in between.
fn rounds(threads: &'static [usize], work: impl Fn(&Pool) + Send + 'static) {
    finishes(move || {
        for idle in IDLE_POLICIES {
            for &threads in threads {
                let pool = Pool::builder().threads(threads).idle(idle).build().unwrap();
                for time in PAUSES {
                    let rounds = if time < Duration::from_millis(1) {
                        500
                    } else {
                        50
                    };
                    // Beside busy processes a wake-up may take a scheduler's time slice.
                    let began = Instant::now();
                    let has_time = |round: &usize| *round < 20 || began.elapsed() < MOST_TIME;
                    for _ in (0..rounds).take_while(has_time) {
                        work(&pool);
                        pause(time);
                    }
                }
            }
        }
    });
}

#[test]
fn no_wake_up_is_lost_for_a_job() {
    rounds(&[1, 2, 3], |pool| {
        assert_eq!(pool.spawn(|| 1).join().unwrap(), 1)
    });
}

#[test]
fn no_wake_up_is_lost_for_a_batch() {
    rounds(&[1, 2, 3], |pool| {
        for handle in pool.spawn_batch([|| 1; 5]) {
            handle.join().unwrap();
        }
    });
}

/// Both closures have to run at the same time, so the fork has to wake a worker.
#[test]
fn no_wake_up_is_lost_for_a_fork() {
    rounds(&[2, 3], |pool| {
        let (left, right) = (Flag::default(), Flag::default());
        pool.join(
            || {
                left.raise();
                right.wait();
            },
            || {
                right.raise();
                left.wait();
            },
        );
    });
}

/// A worker falls asleep while it waits, and is woken by the end of the child.
#[test]
fn no_wake_up_is_lost_for_a_worker_that_waits() {
    rounds(&[2, 3], |pool| {
        for time in PAUSES {
            let stolen = Flag::default();
            pool.join(
                || stolen.wait(),
                || {
                    stolen.raise();
                    common::compute_for(time / 10);
                },
            );
        }
    });
}

/// The last of the children of a scope may end on any worker.
#[test]
fn no_wake_up_is_lost_for_the_end_of_a_scope() {
    rounds(&[1, 2, 3, 8], |pool| {
        let count = AtomicUsize::new(0);
        pool.scope(|s| {
            for _ in 0..4 {
                s.spawn(|_| {
                    join(|| count.fetch_add(1, Ordering::Relaxed), || ());
                });
            }
        });
        assert_eq!(count.into_inner(), 4);
    });
}

/// Workers that have just started are asked to end.
#[test]
fn no_wake_up_is_lost_for_the_end_of_a_pool() {
    finishes(|| {
        for idle in IDLE_POLICIES {
            for threads in [1, 2, 4] {
                for time in PAUSES {
                    for _ in 0..20 {
                        let pool = Pool::builder().threads(threads).idle(idle).build().unwrap();
                        pause(time);
                        drop(pool);
                    }
                }
            }
        }
    });
}

/// A worker forks while the other is busy, so that no thief has requested the job, and then blocks
/// without forking again.
#[test]
fn what_a_blocked_worker_keeps_hidden_is_found() {
    finishes(|| {
        let extremes = [Duration::ZERO, Duration::MAX].map(IdlePolicy::Search);
        for idle in IDLE_POLICIES.into_iter().chain(extremes) {
            let pool = Pool::builder().threads(2).idle(idle).build().unwrap();
            for _ in 0..50 {
                let (stolen, forked, found) = (Flag::default(), Flag::default(), Flag::default());
                let blocked = || {
                    forked.raise();
                    found.wait_for(1);
                };
                let here = || {
                    stolen.wait_for(1);
                    join(blocked, || found.raise());
                };
                let busy = || {
                    stolen.raise();
                    forked.wait_for(1);
                };
                pool.install(|| join(here, busy));
            }
        }
    });
}

/// A worker that sleeps for the pool does not consume the unpark of a job's own
/// `std::thread::park`.
#[test]
fn an_unpark_of_a_job_is_kept_for_that_job() {
    finishes(|| {
        let pool = Pool::new(2).unwrap();
        for long in (0..200).map(|at| Duration::from_micros(10 * at)) {
            let caller = thread::current();
            pool.install(|| {
                thread::sleep(long);
                caller.unpark();
            });
            thread::park();
            pool.install(|| {
                let (stolen, here) = (Flag::default(), thread::current());
                let there = || {
                    stolen.raise();
                    thread::sleep(long);
                    here.unpark();
                };
                join(|| stolen.wait(), there);
                thread::park();
            });
        }
    });
}

/// A job that parks its thread is not woken by the pool, and does not consume a wake-up of the
/// pool.
#[test]
fn a_job_may_park_its_thread() {
    finishes(|| {
        let pool = Pool::new(1).unwrap();
        for _ in 0..100 {
            let (parks, unparked) = (Arc::new(Mutex::new(None)), Arc::new(Flag::default()));
            let job = pool.spawn({
                let (parks, unparked) = (Arc::clone(&parks), Arc::clone(&unparked));
                move || {
                    *parks.lock().unwrap() = Some(thread::current());
                    thread::park();
                    assert!(unparked.is_raised());
                }
            });
            let next = pool.spawn(|| 3);
            wait_until(|| parks.lock().unwrap().is_some());
            unparked.raise();
            parks.lock().unwrap().take().unwrap().unpark();
            job.join().unwrap();
            assert_eq!(next.join().unwrap(), 3);
        }
    });
}
