//! Every interleaving of the transitions of a latch, under loom: `RUSTFLAGS="--cfg loom" cargo test
//! -p filch --lib --release`.
#![allow(unsafe_code, reason = "setting a latch is unsafe")]

use core::ptr::NonNull;
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use crate::latch::{BlockingLatch, Latch};
use crate::sleep::Parker;

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

/// A latch, and a result that is written before the latch is set. The waiter owns both and drops
/// them as soon as it sees the latch set, as the frame of a join does. loom reports a later access.
struct Frame {
    latch: Latch,
    result: UnsafeCell<u32>,
}

/// The address of a frame that the waiter owns.
#[derive(Clone, Copy)]
struct Address(NonNull<Frame>);

// SAFETY: other threads use a frame as they use a job.
unsafe impl Send for Address {}

impl Frame {
    fn new() -> Box<Self> {
        Box::new(Self {
            latch: Latch::new(),
            result: UnsafeCell::new(0),
        })
    }

    fn address(&self) -> Address {
        Address(NonNull::from(self))
    }

    /// Reads the result after the wait.
    fn end(self: Box<Self>) {
        // SAFETY: the latch is set, so no other thread uses the result.
        assert_eq!(self.result.with(|result| unsafe { *result }), 7);
    }
}

impl Address {
    /// As the thief of a join does.
    fn finish(self) {
        // SAFETY: the frame lives until its latch is set.
        let frame = unsafe { self.0.as_ref() };
        // SAFETY: the waiter does not read the result before the latch is set.
        frame.result.with_mut(|result| unsafe { *result = 7 });
        let latch = NonNull::from(&frame.latch);
        // SAFETY: the latch lives until it is set, and the parker outlives the model's threads.
        unsafe { Latch::set(latch) };
    }

    /// As a worker that runs a child of the latch does before the child ends.
    fn wake(self) {
        // SAFETY: the latch is not set yet.
        unsafe { self.0.as_ref() }.latch.wake();
    }
}

/// Sleeps on the latch until it is set. `has_work` returns whether there seems to be work below it.
fn wait(latch: &Latch, parker: &Parker, has_work: impl Fn() -> bool) {
    while !latch.is_set() {
        if !latch.fall_asleep(parker) {
            continue;
        }
        if has_work() && latch.cancel_sleep(parker) {
            // Another thread has to move before this one looks again, or loom would explore for
            // ever.
            thread::yield_now();
            continue;
        }
        let _ = parker.park();
    }
}

#[test]
fn set_and_a_sleeper() {
    model(|| {
        let parker = Arc::new(Parker::new(None));
        let frame = Frame::new();
        let address = frame.address();
        let setting = thread::spawn(move || address.finish());
        wait(&frame.latch, &parker, || false);
        frame.end();
        setting.join().unwrap();
    });
}

/// Each time the sleeper cancels its sleep, until the latch is set.
#[test]
fn set_and_a_sleeper_that_cancels() {
    model(|| {
        let parker = Arc::new(Parker::new(None));
        let frame = Frame::new();
        let address = frame.address();
        let setting = thread::spawn(move || address.finish());
        wait(&frame.latch, &parker, || true);
        frame.end();
        setting.join().unwrap();
    });
}

/// The sleeper is woken for other work first, by the same worker that sets the latch.
#[test]
fn wake_then_set() {
    model(|| {
        let parker = Arc::new(Parker::new(None));
        let frame = Frame::new();
        let address = frame.address();
        let setting = thread::spawn(move || {
            address.wake();
            address.finish();
        });
        wait(&frame.latch, &parker, || false);
        frame.end();
        setting.join().unwrap();
    });
}

#[test]
fn wake_then_set_and_a_sleeper_that_cancels() {
    model(|| {
        let parker = Arc::new(Parker::new(None));
        let frame = Frame::new();
        let address = frame.address();
        let setting = thread::spawn(move || {
            address.wake();
            address.finish();
        });
        wait(&frame.latch, &parker, || true);
        frame.end();
        setting.join().unwrap();
    });
}

/// Two threads wake the sleeper at once, and one of them unparks it. After its wait the parker
/// holds no spare unpark, or the next wait would end too early.
#[test]
fn every_unpark_ends_one_park() {
    model(|| {
        let parker = Arc::new(Parker::new(None));
        let first = Frame::new();
        let address = first.address();
        // The scope's latch is woken by one child and set by the last, after that one has ended.
        let waking = thread::spawn(move || address.wake());
        let setting = thread::spawn(move || {
            address.wake();
            waking.join().unwrap();
            address.finish();
        });
        wait(&first.latch, &parker, || false);
        first.end();
        setting.join().unwrap();

        let second = Latch::new();
        assert!(second.fall_asleep(&parker));
        let parked = Arc::clone(&parker);
        let set = Arc::new(loom::sync::atomic::AtomicBool::new(false));
        let seen = Arc::clone(&set);
        let waiting = thread::spawn(move || {
            let _ = parked.park();
            assert!(seen.load(loom::sync::atomic::Ordering::Relaxed));
        });
        set.store(true, loom::sync::atomic::Ordering::Relaxed);
        // SAFETY: the latch and the parker live to the end of the model.
        unsafe { Latch::set(NonNull::from(&second)) };
        waiting.join().unwrap();
    });
}

/// The waiter drops the latch as soon as it may.
#[test]
fn blocking_latch() {
    model(|| {
        let latch = Box::new(BlockingLatch::new());
        let result = Arc::new(UnsafeCell::new(0));
        struct LatchAddress(NonNull<BlockingLatch>);
        // SAFETY: as for `Address`.
        unsafe impl Send for LatchAddress {}
        let address = LatchAddress(NonNull::from(&*latch));
        let setting = thread::spawn({
            let result = Arc::clone(&result);
            move || {
                let address = address;
                // SAFETY: the waiter does not read the result before the latch is set.
                result.with_mut(|result| unsafe { *result = 7 });
                // SAFETY: the latch lives until it is set.
                unsafe { BlockingLatch::set(address.0) };
            }
        });
        let mut looks = 0..1;
        latch.wait(|| looks.next().is_some());
        drop(latch);
        // SAFETY: the latch is set, so no other thread uses the result.
        assert_eq!(result.with(|result| unsafe { *result }), 7);
        setting.join().unwrap();
    });
}
