//! Strict work keeps to the serial stack: no worker goes deeper than the same program on one worker
//! (S1) plus a small constant, however much is stolen.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use common::{compute_for, finishes};
use filch::{Pool, Scope, StealFunction, join, scope};

/// How deep each worker has been, and how many closures were run by a thief.
struct Gauge {
    base: Vec<AtomicUsize>,
    deepest: Vec<AtomicUsize>,
    stolen: AtomicUsize,
}

impl Gauge {
    fn of(workers: usize) -> Self {
        // The workers, and as many spare threads.
        let zeros = || (0..2 * workers).map(|_| AtomicUsize::new(0)).collect();
        Self {
            base: zeros(),
            deepest: zeros(),
            stolen: AtomicUsize::new(0),
        }
    }

    /// The stack of this worker begins about here.
    fn start(&self, worker: usize) {
        self.base[worker].store(here(), Ordering::Relaxed);
    }

    /// The stack of this worker goes down to about here.
    fn note(&self) {
        let worker = filch::current_worker().expect("strict work is run by workers");
        let depth = self.base[worker]
            .load(Ordering::Relaxed)
            .saturating_sub(here());
        self.deepest[worker].fetch_max(depth, Ordering::Relaxed);
    }

    fn child(&self, forked_by: Option<usize>, time: Duration) {
        self.note();
        let is_stolen = forked_by != filch::current_worker();
        self.stolen
            .fetch_add(usize::from(is_stolen), Ordering::Relaxed);
        compute_for(time);
    }
}

/// An address in the caller's frame, or close to it.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    black_box(&raw const local).addr()
}

/// Descends `frames` plain frames of 1 KiB and calls `bottom` there.
#[inline(never)]
fn descend(frames: usize, gauge: &Gauge, bottom: &(dyn Fn() + Sync)) {
    let frame = black_box([0_u8; 1024]);
    gauge.note();
    if frames == 0 {
        bottom();
    } else {
        descend(frames - 1, gauge, bottom);
    }
    black_box(&frame);
}

/// How a job waits for its two children.
#[derive(Clone, Copy)]
enum Wait {
    Join,
    Scope,
}

/// Many jobs in one scope, each with two children far down.
#[derive(Clone, Copy)]
struct Program {
    jobs: usize,
    left: Duration,
    right: Duration,
    wait: Wait,
    /// Whether the jobs are spawned by a thread that is no worker.
    by_foreign_thread: bool,
}

impl Program {
    fn job(self, gauge: &Gauge) {
        descend(64, gauge, &|| {
            let forked_by = filch::current_worker();
            let left = || gauge.child(forked_by, self.left);
            let right = || gauge.child(forked_by, self.right);
            match self.wait {
                Wait::Join => drop(join(left, right)),
                Wait::Scope => scope(|s| {
                    s.spawn(|_| right());
                    s.spawn(|_| left());
                }),
            }
        });
    }

    fn spawn_jobs<'scope>(self, s: &Scope<'scope>, gauge: &'scope Gauge) {
        for _ in 0..self.jobs {
            s.spawn(move |_| self.job(gauge));
        }
    }

    /// Runs the program, and returns how deep each worker went and how many relevant steals there
    /// were. Jobs that a worker spawned are stolen themselves, before any of their children. Of
    /// jobs that lie in queues, the children are stolen.
    fn run(self, workers: usize) -> (Vec<usize>, u64) {
        let gauge = Arc::new(Gauge::of(workers));
        let start = Arc::clone(&gauge);
        let pool = Pool::builder()
            .threads(workers)
            .spare_threads(workers)
            .stack_size(64 << 20)
            // One at a time: a worker has no work after every job, and steals.
            .steal(StealFunction::ONE)
            .start_handler(move |worker| start.start(worker))
            .build()
            .unwrap();
        let gauge = &*gauge;
        pool.scope(|s| {
            if self.by_foreign_thread {
                thread::scope(|threads| {
                    threads.spawn(|| self.spawn_jobs(s, gauge));
                });
            } else {
                self.spawn_jobs(s, gauge);
            }
        });
        let deepest = gauge
            .deepest
            .iter()
            .map(|depth| depth.load(Ordering::Relaxed))
            .collect();
        let stolen = if self.by_foreign_thread {
            gauge.stolen.load(Ordering::Relaxed) as u64
        } else {
            pool.metrics().total().steals
        };
        (deepest, stolen)
    }

    fn check(self, workers: usize) {
        finishes(move || {
            let quick = Self {
                left: Duration::ZERO,
                right: Duration::ZERO,
                ..self
            };
            let s1 = quick.run(1).0[0];
            assert!(s1 > 64 << 10, "the frames are not on the stack");
            let bound = s1 + s1 / 10 + (16 << 10);
            // On a busy machine there may be runs in which no thief had time to steal.
            let stolen = (0..20).any(|_| {
                let (deepest, stolen) = self.run(workers);
                for (worker, depth) in deepest.into_iter().enumerate() {
                    assert!(
                        depth <= bound,
                        "worker {worker} of {workers} went {depth} bytes deep, S1 is {s1}"
                    );
                }
                stolen > 0
            });
            assert!(stolen, "nothing was stolen, so nothing is proved");
        });
    }
}

/// 200 jobs whose right child takes half as long again as the left.
fn uneven(wait: Wait, by_foreign_thread: bool) -> Program {
    let (left, right) = (Duration::from_micros(200), Duration::from_micros(300));
    Program {
        jobs: 200,
        left,
        right,
        wait,
        by_foreign_thread,
    }
}

/// 400 jobs whose right child takes barely longer than the left. A waiting worker has 400 chances
/// to start the next job.
fn barely_uneven(wait: Wait, by_foreign_thread: bool) -> Program {
    let (left, right) = (Duration::from_micros(1_000), Duration::from_micros(1_018));
    Program {
        jobs: 400,
        left,
        right,
        wait,
        by_foreign_thread,
    }
}

#[test]
fn uneven_joins_on_two_workers() {
    uneven(Wait::Join, false).check(2);
}

#[test]
fn uneven_joins_on_eight_workers() {
    uneven(Wait::Join, false).check(8);
}

#[test]
fn uneven_scopes_on_two_workers() {
    uneven(Wait::Scope, false).check(2);
}

#[test]
fn uneven_scopes_on_eight_workers() {
    uneven(Wait::Scope, false).check(8);
}

#[test]
fn uneven_joins_spawned_by_a_foreign_thread() {
    uneven(Wait::Join, true).check(2);
    uneven(Wait::Join, true).check(8);
}

#[test]
fn uneven_scopes_spawned_by_a_foreign_thread() {
    uneven(Wait::Scope, true).check(2);
    uneven(Wait::Scope, true).check(8);
}

#[test]
fn barely_uneven_joins_on_two_workers() {
    barely_uneven(Wait::Join, false).check(2);
}

#[test]
fn barely_uneven_scopes_on_two_workers() {
    barely_uneven(Wait::Scope, false).check(2);
}

#[test]
fn barely_uneven_joins_spawned_by_a_foreign_thread() {
    barely_uneven(Wait::Join, true).check(2);
}

#[test]
fn barely_uneven_scopes_spawned_by_a_foreign_thread() {
    barely_uneven(Wait::Scope, true).check(2);
}

/// A tree whose every inner node has a plain frame of 1 KiB: waiting workers find much to help
/// with, far down.
#[test]
fn a_deep_tree_of_joins_and_scopes() {
    fn tree(depth: usize, gauge: &Gauge) {
        let frame = black_box([0_u8; 1024]);
        gauge.note();
        if depth == 0 {
            compute_for(Duration::from_micros(2));
        } else if depth.is_multiple_of(2) {
            join(|| tree(depth - 1, gauge), || tree(depth - 1, gauge));
        } else {
            scope(|s| {
                s.spawn(|_| tree(depth - 1, gauge));
                s.spawn(|_| tree(depth - 1, gauge));
            });
        }
        black_box(&frame);
    }
    fn run(workers: usize) -> (Vec<usize>, u64) {
        let gauge = Arc::new(Gauge::of(workers));
        let start = Arc::clone(&gauge);
        let pool = Pool::builder()
            .threads(workers)
            .spare_threads(workers)
            .start_handler(move |worker| start.start(worker))
            .build()
            .unwrap();
        for _ in 0..5 {
            pool.install(|| tree(13, &gauge));
        }
        let deepest = gauge
            .deepest
            .iter()
            .map(|depth| depth.load(Ordering::Relaxed))
            .collect();
        (deepest, pool.metrics().total().steals)
    }
    finishes(|| {
        let s1 = run(1).0[0];
        for workers in [2, 8] {
            let (deepest, steals) = run(workers);
            let bound = s1 + s1 / 10 + (16 << 10);
            assert!(
                deepest.iter().all(|&depth| depth <= bound),
                "{deepest:?}, S1 is {s1}"
            );
            assert!(steals > 0, "nothing was stolen, so nothing is proved");
        }
    });
}
