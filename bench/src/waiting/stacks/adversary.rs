//! The programs of the runtime's stack test, with leaves that sleep: each tempts a waiting worker
//! to run unrelated work on top of what waits.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use super::super::forks::{Forks, Spawner};
use super::StackGauge;

/// Plain frames of 1 KiB between a job and its two children.
const FRAMES: usize = 64;

/// A program that lets stacks grow where a runtime lets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackAdversary {
    /// The name in filters, tables and JSON.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    shape: AdversaryShape,
}

#[derive(Clone, Copy, Debug)]
enum AdversaryShape {
    /// Jobs of one scope, each with two children far down its stack.
    Jobs {
        left: Duration,
        right: Duration,
        wait: ChildWait,
        spawner: Spawner,
    },
    /// A tree of joins and scopes by turns, a frame of 1 KiB in each node.
    Tree { leaf: Duration },
}

/// How a job waits for its two children.
#[derive(Clone, Copy, Debug)]
enum ChildWait {
    Join,
    Scope,
}

impl StackAdversary {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [StackAdversary; 6] = [
        jobs(
            "stack-uneven-joins",
            "jobs of a scope, each join(2 ms, 3 ms) below 64 KiB of frames",
            (2_000, 3_000),
            ChildWait::Join,
            Spawner::Owner,
        ),
        jobs(
            "stack-uneven-scopes",
            "the same with a scope of two spawns in place of the join",
            (2_000, 3_000),
            ChildWait::Scope,
            Spawner::Owner,
        ),
        jobs(
            "stack-foreign-joins",
            "jobs that a thread outside the pool spawned, each join(2 ms, 3 ms)",
            (2_000, 3_000),
            ChildWait::Join,
            Spawner::Foreign,
        ),
        jobs(
            "stack-close-joins",
            "jobs of a scope, each join(4 ms, 4.07 ms)",
            (4_000, 4_070),
            ChildWait::Join,
            Spawner::Owner,
        ),
        jobs(
            "stack-close-scopes",
            "jobs of a scope, each a scope of spawns of 4 ms and 4.07 ms",
            (4_000, 4_070),
            ChildWait::Scope,
            Spawner::Owner,
        ),
        StackAdversary {
            name: "stack-tree",
            about: "a tree of joins and scopes by turns, 1 KiB in each node, leaves of 2 ms",
            shape: AdversaryShape::Tree {
                leaf: Duration::from_millis(2),
            },
        },
    ];

    /// The same program with leaves that take no time.
    pub(crate) fn without_sleep(&self) -> StackAdversary {
        let none = Duration::ZERO;
        let shape = match self.shape {
            AdversaryShape::Jobs { wait, spawner, .. } => AdversaryShape::Jobs {
                left: none,
                right: none,
                wait,
                spawner,
            },
            AdversaryShape::Tree { .. } => AdversaryShape::Tree { leaf: none },
        };
        StackAdversary { shape, ..*self }
    }

    /// Runs the program, with so many jobs or at least so many leaves.
    pub(crate) fn run<F: Forks>(&self, jobs: usize, gauge: &StackGauge) {
        match self.shape {
            AdversaryShape::Jobs {
                left,
                right,
                wait,
                spawner,
            } => F::spawn_each(jobs, spawner, |_| {
                descend(FRAMES, gauge, &|| match wait {
                    ChildWait::Join => F::join(|| child(gauge, left), || child(gauge, right)),
                    // The newest is run first, as in a join.
                    ChildWait::Scope => F::spawn_each(2, Spawner::Owner, |number| {
                        child(gauge, [right, left][number]);
                    }),
                });
            }),
            AdversaryShape::Tree { leaf } => {
                tree::<F>(jobs.next_power_of_two().ilog2(), gauge, leaf)
            }
        }
    }
}

const fn jobs(
    name: &'static str,
    about: &'static str,
    (left, right): (u64, u64),
    wait: ChildWait,
    spawner: Spawner,
) -> StackAdversary {
    let shape = AdversaryShape::Jobs {
        left: Duration::from_micros(left),
        right: Duration::from_micros(right),
        wait,
        spawner,
    };
    StackAdversary { name, about, shape }
}

fn child(gauge: &StackGauge, time: Duration) {
    let _frame = gauge.frame();
    pause(time);
}

/// Goes down so many frames of 1 KiB and calls `bottom` there.
#[inline(never)]
fn descend(frames: usize, gauge: &StackGauge, bottom: &(dyn Fn() + Sync)) {
    let bytes = black_box([0_u8; 1024]);
    let _frame = gauge.frame();
    if frames == 0 {
        bottom();
    } else {
        descend(frames - 1, gauge, bottom);
    }
    black_box(&bytes);
}

fn tree<F: Forks>(depth: u32, gauge: &StackGauge, leaf: Duration) {
    let bytes = black_box([0_u8; 1024]);
    let _frame = gauge.frame();
    if depth == 0 {
        pause(leaf);
    } else if depth.is_multiple_of(2) {
        F::join(
            || tree::<F>(depth - 1, gauge, leaf),
            || tree::<F>(depth - 1, gauge, leaf),
        );
    } else {
        F::spawn_each(2, Spawner::Owner, |_| tree::<F>(depth - 1, gauge, leaf));
    }
    black_box(&bytes);
}

/// A sleep of no time would still be a system call.
fn pause(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}
