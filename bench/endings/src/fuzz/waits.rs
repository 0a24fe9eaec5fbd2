//! Waiting without yielding, for work that a free thread of the pool is certain to come to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::ThreadPool;

use super::program::{Wait, leaf};
use super::run::compute;

/// Held by waiting threads only.
static HELD: Mutex<()> = Mutex::new(());

/// Waits so many times on a thread of `pool`, and returns the sum of what it waited for.
pub(super) fn value(wait: Wait, times: u32, pool: &Arc<ThreadPool>) -> u64 {
    (0..times).fold(0, |sum: u64, time| sum.wrapping_add(once(wait, time, pool)))
}

fn once(wait: Wait, time: u32, pool: &Arc<ThreadPool>) -> u64 {
    match wait {
        Wait::Spawned => receive(&spawned(time, rayon::spawn)),
        Wait::InOrder => receive(&spawned(time, rayon::spawn_fifo)),
        Wait::Outside => receive(&from_outside(time, pool)),
        Wait::Half => {
            let (send, value) = channel();
            let send = move || send.send(compute(time)).expect("it is read");
            rayon::join(move || receive(&value), send).0
        }
        Wait::Child => {
            let (send, value) = channel();
            rayon::scope(move |s| {
                s.spawn(move |_| send.send(compute(time)).expect("it is read"));
                receive(&value)
            })
        }
        Wait::Locked => {
            let _held = HELD.lock().expect("no holder panics");
            receive(&spawned(time, rayon::spawn))
        }
        Wait::Spinning => spin(time, pool),
        Wait::Deep => deep(time % 40),
    }
}

type Job = Box<dyn FnOnce() + Send>;

fn spawned(spins: u32, spawn: impl FnOnce(Job)) -> Receiver<u64> {
    let (send, value) = channel();
    spawn(Box::new(move || {
        send.send(compute(spins)).expect("it is read");
    }));
    value
}

/// The job comes from a thread that belongs to no pool.
fn from_outside(spins: u32, pool: &Arc<ThreadPool>) -> Receiver<u64> {
    let pool = Arc::clone(pool);
    spawned(spins, |job| {
        thread::spawn(move || pool.spawn(job));
    })
}

/// Uses the processor while it waits, and has an index.
fn spin(spins: u32, pool: &Arc<ThreadPool>) -> u64 {
    let index = rayon::current_thread_index();
    let done = Arc::new(AtomicBool::new(false));
    let (seen, pool) = (Arc::clone(&done), Arc::clone(pool));
    let job = move || {
        assert!(rayon::current_thread_index() < Some(rayon::current_num_threads()));
        seen.store(true, Ordering::SeqCst);
    };
    thread::spawn(move || pool.spawn(job));
    while !done.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    assert_eq!(index, rayon::current_thread_index());
    leaf(spins)
}

/// Each level waits for the next, and a spawned job lies beside the fork of each.
fn deep(level: u32) -> u64 {
    if level == 0 {
        return receive(&spawned(0, rayon::spawn));
    }
    rayon::spawn(|| ());
    let (started, is_started) = channel();
    let first = move || is_started.recv().expect("the other half starts");
    let second = move || {
        started.send(()).expect("it is read");
        deep(level - 1)
    };
    rayon::join(first, second).1
}

fn receive(value: &Receiver<u64>) -> u64 {
    value.recv().expect("it is sent")
}

/// What [`value`] returns.
pub(super) fn expected(wait: Wait, times: u32) -> u64 {
    let once = |time| match wait {
        Wait::Deep => leaf(0),
        _ => leaf(time),
    };
    (0..times).fold(0, |sum: u64, time| sum.wrapping_add(once(time)))
}
