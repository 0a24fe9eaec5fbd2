//! What a burst of work needed is given back.
#![cfg(not(any(loom, shuttle)))]
#![allow(unsafe_code, reason = "a global allocator counts what is in use")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use common::{Flag, finishes, pool, wait_until};
use filch::Pool;

struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn in_use() -> isize {
    IN_USE.load(Ordering::Relaxed)
}

/// How many jobs a burst has. A queue needs more than thirty bytes for each.
const BURST: usize = 200_000;
/// What may be left of it, for each worker.
const KEPT: isize = 512 << 10;

/// Runs two bursts while the pool is held up, and checks that most of the memory is free again.
/// `send` calls what it is given when it has sent all jobs.
fn bursts(pool: &Pool, send: impl Fn(&Pool, &(dyn Fn() + Sync))) {
    let before = in_use();
    for _ in 0..2 {
        let go_on = Arc::new(Flag::default());
        let begun = Arc::new(AtomicUsize::new(0));
        let held_up: Vec<_> = (0..pool.threads())
            .map(|_| {
                let (go_on, begun) = (Arc::clone(&go_on), Arc::clone(&begun));
                pool.spawn(move || {
                    begun.fetch_add(1, Ordering::Relaxed);
                    go_on.wait();
                })
            })
            .collect();
        // Two may have come to one worker, and then another worker takes the second.
        wait_until(|| begun.load(Ordering::Relaxed) == pool.threads());
        send(pool, &|| {
            assert!(
                in_use() - before > 30 * BURST as isize,
                "the jobs are waiting"
            );
            go_on.raise();
        });
        held_up.into_iter().for_each(|job| job.join().unwrap());
        let most = KEPT * pool.threads() as isize;
        wait_until(|| in_use() - before < most);
    }
}

// One test, since the counter counts for the whole process.
#[test]
fn queues_shrink_after_a_burst() {
    finishes(|| {
        for threads in [1, 3] {
            let pool = pool(threads);
            bursts(&pool, |pool, go_on| {
                (0..BURST).for_each(|_| drop(pool.spawn(|| ())));
                go_on();
            });
            bursts(&pool, |pool, go_on| {
                let jobs = pool.spawn_batch((0..BURST).map(|_| || ()));
                go_on();
                drop(jobs);
            });
        }
        // Children of a scope that come from outside, and calls from another pool. The children are
        // large: a worker keeps some mebibytes of the memory of small ones for the next.
        let large = [0_u64; 9];
        let (pool, other) = (pool(2), common::pool(1));
        bursts(&pool, |pool, go_on| {
            pool.in_place_scope(|s| {
                (0..BURST).for_each(|_| s.spawn(move |_| assert_eq!(large, [0; 9])));
                go_on();
            });
        });
        bursts(&pool, |pool, go_on| {
            other.install(|| {
                (0..BURST).for_each(|_| drop(pool.spawn(|| ())));
                go_on();
            });
        });
    });
}
