//! Every interleaving of small programs, under loom: `RUSTFLAGS="--cfg loom" cargo test -p
//! filch-relay --test loom --release`.
//!
//! State and changes hold cells of loom's, so that a model fails if two threads touch one without
//! an order between them.
#![cfg(loom)]

use std::sync::Arc;

use filch_relay::{Apply, Relay};
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom::thread;

/// The sum of all changes, and how many effects were run.
struct Sum {
    total: UnsafeCell<usize>,
    effects: Arc<AtomicUsize>,
}

/// A number that another thread reads.
struct Number(UnsafeCell<usize>);

// SAFETY: whether threads access the cells in turns is what the models check, by loom.
unsafe impl Send for Sum {}
// SAFETY: as above.
unsafe impl Send for Number {}

fn number(it: usize) -> Number {
    Number(UnsafeCell::new(it))
}

impl Sum {
    fn add(&mut self, it: usize) {
        // SAFETY: as for `Send`.
        self.total.with_mut(|total| unsafe { *total += it });
    }

    fn total(&self) -> usize {
        // SAFETY: as for `Send`.
        self.total.with(|total| unsafe { *total })
    }
}

impl Apply for Sum {
    type Change = Number;
    type Effect = Arc<AtomicUsize>;

    fn apply(&mut self, change: Number) -> Option<Self::Effect> {
        // SAFETY: as for `Send`.
        let it = change.0.with(|it| unsafe { *it });
        self.add(it);
        Some(self.effects.clone())
    }

    fn run(effects: Self::Effect) {
        effects.fetch_add(1, Relaxed);
    }
}

fn relay() -> (Arc<Relay<Sum>>, Arc<AtomicUsize>) {
    let effects = Arc::new(AtomicUsize::new(0));
    let sum = Sum {
        total: UnsafeCell::new(0),
        effects: effects.clone(),
    };
    (Arc::new(Relay::new(sum)), effects)
}

/// As `loom::model`, but only with schedules in which threads are displaced at most three times.
fn model_of_three(program: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(program);
}

/// Both leave changes: all of them are made when both have returned, whoever makes them.
#[test]
fn changes_are_left() {
    loom::model(|| {
        let (relay, effects) = relay();
        let other = {
            let relay = relay.clone();
            thread::spawn(move || {
                relay.leave(number(1));
                relay.leave(number(2));
            })
        };
        relay.leave(number(4));
        relay.leave(number(8));
        other.join().unwrap();
        assert_eq!(relay.try_turn().expect("free").total(), 15);
        assert_eq!(effects.load(Relaxed), 4);
    });
}

/// Three threads, so that a change may be left behind another's.
#[test]
fn changes_are_left_by_two() {
    model_of_three(|| {
        let (relay, effects) = relay();
        let others = [1, 2].map(|it| {
            let relay = relay.clone();
            thread::spawn(move || relay.leave(number(it)))
        });
        if let Some(mut turn) = relay.try_turn() {
            turn.add(4);
        } else {
            relay.leave(number(4));
            effects.fetch_sub(1, Relaxed);
        }
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(relay.try_turn().expect("free").total(), 7);
        assert_eq!(effects.load(Relaxed), 2);
    });
}

/// A thread sees what it has left itself.
#[test]
fn a_thread_sees_its_own_change() {
    loom::model(|| {
        let (relay, _) = relay();
        let other = {
            let relay = relay.clone();
            thread::spawn(move || relay.leave(number(1)))
        };
        relay.leave(number(2));
        assert!(relay.try_turn().is_none_or(|turn| turn.total() & 2 != 0));
        other.join().unwrap();
    });
}

/// Threads that want an answer wait, and none sleeps for ever.
#[test]
fn threads_wait() {
    model_of_three(|| {
        let (relay, _) = relay();
        let others = [1, 2].map(|it| {
            let relay = relay.clone();
            thread::spawn(move || relay.turn().add(it))
        });
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(relay.turn().total(), 3);
    });
}

/// One waits while another leaves a change.
#[test]
fn one_waits_and_one_leaves() {
    loom::model(|| {
        let (relay, _) = relay();
        let other = {
            let relay = relay.clone();
            thread::spawn(move || {
                relay.leave(number(1));
                relay.leave(number(2));
            })
        };
        let mut turn = relay.turn();
        turn.add(4);
        drop(turn);
        other.join().unwrap();
        assert_eq!(relay.try_turn().expect("free").total(), 7);
    });
}
