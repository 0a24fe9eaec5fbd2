//! How deep the stacks of workers grow, beside S1.

use std::cell::Cell as Slot;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use filch::{Pool, join};

use super::programs::leaf;
use crate::chapters::Setting;
use crate::values::{Cell, Claim, Outcome, Table};

pub(super) const STACK_WORKERS: [usize; 3] = [1, 2, 8];
const JOBS: usize = 200;
const KIB: usize = 1024;
/// What a worker may use beyond S1: the frames of the worker loop and of a steal.
const SLACK: usize = 16 * KIB;

/// The deepest stack of any worker, with 1, 2 and 8 workers.
pub(super) fn stacks(setting: &Setting<'_>) -> (Claim, Table) {
    let used = STACK_WORKERS.map(|workers| {
        let used = deepest(workers);
        setting.tick();
        used
    });
    let serial = used[0].deepest;
    let most = serial + serial / 10 + SLACK;
    let worst = used.iter().map(|used| used.deepest).max().unwrap_or(0);
    let claim = Claim {
        claim:
            "no worker's stack is deeper than that of the serial program, so P workers need S1·P"
                .to_owned(),
        stated: "BL99, Theorem 5",
        checked: format!("{JOBS} jobs of 64 frames that join, on 2 and 8 workers"),
        found: format!(
            "S1 {} KiB, deepest worker {} KiB",
            serial / KIB,
            worst / KIB
        ),
        measured: Some(worst as f64),
        bound: Some(most as f64),
        outcome: Outcome::of(worst <= most),
    };
    let rows = STACK_WORKERS.iter().zip(&used).map(|(&workers, used)| {
        let kib = |bytes: usize| Cell::from((bytes / KIB) as u64);
        let bound = kib(serial * workers);
        vec![
            (workers as u64).into(),
            kib(used.deepest),
            kib(used.all),
            bound,
            used.steals.into(),
        ]
    });
    let table = Table {
        title: "Stacks, in KiB".to_owned(),
        columns: vec!["workers", "deepest worker", "all workers", "S1·P", "steals"],
        rows: rows.collect(),
    };
    (claim, table)
}

struct StackUse {
    deepest: usize,
    all: usize,
    steals: u64,
}

thread_local! {
    /// The address at which the stack of this worker begins.
    static BEGAN: Slot<usize> = const { Slot::new(0) };
}

fn deepest(workers: usize) -> StackUse {
    let depths: Vec<AtomicUsize> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
    let pool = Pool::builder()
        .threads(workers)
        .start_handler(|_| BEGAN.set(here()))
        .build()
        .expect("threads for a pool");
    pool.scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|_| descend(64, &depths));
        }
    });
    let depths: Vec<usize> = depths.into_iter().map(AtomicUsize::into_inner).collect();
    StackUse {
        deepest: depths.iter().copied().max().unwrap_or(0),
        all: depths.iter().sum(),
        steals: pool.metrics().total().steals,
    }
}

/// An address in the frame of the caller, or just below it.
#[inline(never)]
fn here() -> usize {
    let local = 0u8;
    std::ptr::from_ref(black_box(&local)).addr()
}

#[inline(never)]
fn descend(frames: u32, depths: &[AtomicUsize]) {
    let frame = black_box([0u8; KIB]);
    if frames > 0 {
        descend(frames - 1, depths);
    } else {
        join(|| busy(200, depths), || busy(300, depths));
    }
    black_box(&frame);
}

/// Computes for `micros` microseconds and records the depth of the stack.
fn busy(micros: u64, depths: &[AtomicUsize]) {
    let worker = filch::current_worker().expect("a job runs on a worker");
    depths[worker].fetch_max(BEGAN.get().saturating_sub(here()), Ordering::Relaxed);
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(micros) {
        black_box(leaf());
    }
}
