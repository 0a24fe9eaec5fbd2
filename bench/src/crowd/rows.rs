//! What is measured.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use filch_deque::asymmetric::heavy_calls;

use super::pool::{Kind, Pool};
use crate::clock::{cpu_time, spin};

/// The cost of one section or job: times in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) cpu: f64,
    pub(super) wall: f64,
    /// How many times filch has interrupted all processors of the process by `membarrier`.
    pub(super) barriers: f64,
}

#[derive(Clone, Copy)]
pub(super) enum Row {
    /// So many threads from outside, each with one section after the other.
    Sections { callers: usize },
    /// One section, and then nothing for a millisecond.
    Pauses,
    /// Jobs from one thread outside, in bursts.
    Jobs,
    /// So many children of one scope, from outside, each of which sleeps for 100 µs.
    Children { number: usize },
}

/// A section is a tree with so many leaves, each of a fraction of a microsecond.
const DEPTH: u32 = 6;
const LEAF: u64 = 200;
const SECTIONS: usize = 4_000;
const PAUSES: usize = 300;
const BURSTS: usize = 200;
const BURST: usize = 100;

fn leaf() {
    black_box(spin(black_box(LEAF)));
}

impl Row {
    pub(super) fn all() -> Vec<Self> {
        let sections = [1, 8, 32].map(|callers| Self::Sections { callers });
        let children = [5_000, 10_000, 20_000, 40_000].map(|number| Self::Children { number });
        let others = [Self::Pauses, Self::Jobs];
        sections.into_iter().chain(others).chain(children).collect()
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Sections { callers } => format!("sections of {callers} callers"),
            Self::Pauses => "sections with pauses of 1 ms".to_owned(),
            Self::Jobs => format!("jobs in bursts of {BURST}"),
            Self::Children { number } => format!("{number} children that sleep"),
        }
    }

    /// A number of workers of its own.
    pub(super) fn workers(self) -> Option<usize> {
        matches!(self, Self::Children { .. }).then_some(8)
    }

    pub(super) fn measure(self, kind: Kind, workers: usize) -> Cost {
        let pool = Arc::new(Pool::new(kind, workers));
        // All threads are there, and asleep.
        pool.children(10 * workers, &leaf);
        thread::sleep(Duration::from_millis(20));
        match self {
            Self::Sections { callers } => {
                let each = SECTIONS / callers;
                cost(each * callers, || {
                    thread::scope(|s| {
                        for _ in 0..callers {
                            s.spawn(|| (0..each).for_each(|_| pool.section(DEPTH, &leaf)));
                        }
                    });
                })
            }
            Self::Pauses => cost(PAUSES, || {
                for _ in 0..PAUSES {
                    pool.section(DEPTH, &leaf);
                    thread::sleep(Duration::from_millis(1));
                }
            }),
            Self::Jobs => {
                let done = Arc::new(AtomicUsize::new(0));
                cost(BURSTS * BURST, || {
                    for burst in 1..=BURSTS {
                        for _ in 0..BURST {
                            let done = Arc::clone(&done);
                            pool.send(move || {
                                leaf();
                                done.fetch_add(1, Ordering::Release);
                            });
                        }
                        while done.load(Ordering::Acquire) < burst * BURST {
                            thread::sleep(Duration::from_micros(50));
                        }
                    }
                })
            }
            Self::Children { number } => cost(number, || {
                pool.children(number, &|| thread::sleep(Duration::from_micros(100)));
            }),
        }
    }
}

fn cost(number: usize, work: impl FnOnce()) -> Cost {
    let (cpu, began, barriers) = (cpu_time(), Instant::now(), heavy_calls());
    work();
    let each = |time: Duration| time.as_nanos() as f64 / number as f64;
    Cost {
        cpu: each(cpu_time() - cpu),
        wall: each(began.elapsed()),
        barriers: (heavy_calls() - barriers) as f64 / number as f64,
    }
}
