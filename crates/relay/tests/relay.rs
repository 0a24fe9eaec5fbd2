//! What a relay promises, on threads of the operating system.
#![cfg(not(loom))]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use filch_relay::{Apply, Relay};

/// What was left, in the order in which it arrived.
#[derive(Default)]
struct Arrivals(Vec<(usize, usize)>);

impl Apply for Arrivals {
    type Change = (usize, usize);
    type Effect = ();

    fn apply(&mut self, change: (usize, usize)) -> Option<()> {
        self.0.push(change);
        None
    }

    fn run((): ()) {}
}

#[test]
fn a_change_is_left_while_another_thread_has_the_state() {
    let relay = Relay::new(Arrivals::default());
    let turn = relay.turn();
    thread::scope(|scope| {
        for change in 0..3 {
            let relay = &relay;
            let left = scope.spawn(move || relay.leave((0, change)));
            left.join().unwrap();
        }
        assert!(scope.spawn(|| relay.try_turn().is_none()).join().unwrap());
        assert!(scope.spawn(|| relay.turn_soon().is_none()).join().unwrap());
    });
    assert!(turn.0.is_empty());
    drop(turn);
    assert_eq!(relay.turn().0, [(0, 0), (0, 1), (0, 2)]);
}

/// Also on the thread that has the state.
#[test]
fn a_change_is_left_for_ones_own_turn() {
    let relay = Relay::new(Arrivals::default());
    let turn = relay.turn();
    relay.leave((0, 1));
    drop(turn);
    assert_eq!(relay.turn().0, [(0, 1)]);
}

/// Each thread's changes arrive once and in order, and before anything that the thread sees later.
#[test]
fn no_change_is_lost_made_twice_or_overtaken() {
    const THREADS: usize = 4;
    const CHANGES: usize = 20_000;
    let relay = Relay::new(Arrivals::default());
    thread::scope(|scope| {
        for me in 0..THREADS {
            let relay = &relay;
            scope.spawn(move || {
                for change in 0..CHANGES {
                    if change % 7 == me {
                        relay.turn().0.push((me, change));
                    } else {
                        relay.leave((me, change));
                    }
                    if change % 1000 == 0 {
                        let mine = relay.turn().0.iter().filter(|it| it.0 == me).count();
                        assert_eq!(mine, change + 1);
                    }
                }
            });
        }
    });
    let all = relay.turn();
    for me in 0..THREADS {
        let mine = all.0.iter().filter(|it| it.0 == me).map(|it| it.1);
        assert!(mine.eq(0..CHANGES));
    }
}

/// A thread that waits is woken when the turn is over.
#[test]
fn threads_wait_for_their_turns() {
    let relay = Relay::new(Arrivals::default());
    let turn = relay.turn();
    thread::scope(|scope| {
        let (ready, all_ready) = mpsc::channel();
        for me in 0..3 {
            let (relay, ready) = (&relay, ready.clone());
            scope.spawn(move || {
                ready.send(()).unwrap();
                relay.turn().0.push((me, 0));
            });
        }
        all_ready.iter().take(3).for_each(drop);
        thread::sleep(Duration::from_millis(20)); // they sleep by now, most likely
        drop(turn);
    });
    assert_eq!(relay.turn().0.len(), 3);
}

/// Counts effects; a change of 0 panics, and so does the effect of a change of 1.
#[derive(Default)]
struct Touchy(Vec<usize>);

static EFFECTS: AtomicUsize = AtomicUsize::new(0);

impl Apply for Touchy {
    type Change = usize;
    type Effect = usize;

    fn apply(&mut self, change: usize) -> Option<usize> {
        assert_ne!(change, 0, "a change panics");
        self.0.push(change);
        Some(change)
    }

    fn run(effect: usize) {
        assert_ne!(effect, 1, "an effect panics");
        EFFECTS.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_panic_keeps_nothing_else_from_being_done() {
    let relay = Relay::new(Touchy::default());
    let turn = relay.turn();
    for change in [2, 0, 3, 4] {
        relay.leave(change);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| drop(turn)));
    assert!(ended.is_err());
    assert_eq!(relay.try_turn().expect("given back").0, [2, 3, 4]);
    assert_eq!(EFFECTS.load(Ordering::Relaxed), 3);

    let turn = relay.turn();
    for change in [5, 1, 6] {
        relay.leave(change);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| drop(turn)));
    assert!(ended.is_err());
    assert_eq!(relay.try_turn().expect("given back").0[3..], [5, 1, 6]);
    assert_eq!(EFFECTS.load(Ordering::Relaxed), 5);

    assert!(catch_unwind(AssertUnwindSafe(|| relay.leave(0))).is_err());
    assert!(relay.try_turn().is_some());

    // Several panics, and one of the turn's own.
    let turn = relay.turn();
    for change in [0, 1, 7, 0, 1] {
        relay.leave(change);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| turn.apply(8)));
    assert!(ended.is_err());
    assert_eq!(relay.try_turn().expect("given back").0[6..], [8, 1, 7, 1]);
    assert_eq!(EFFECTS.load(Ordering::Relaxed), 7);
    let turn = relay.turn();
    for change in [0, 9] {
        relay.leave(change);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| turn.apply(0)));
    assert!(ended.is_err());
    assert_eq!(relay.try_turn().expect("given back").0[10..], [9]);
    assert_eq!(EFFECTS.load(Ordering::Relaxed), 8);
}

/// What was left for a turn that never ends is dropped with the relay.
#[test]
fn a_forgotten_turn_leaks_nothing() {
    struct Keeps;
    impl Apply for Keeps {
        type Change = Arc<()>;
        type Effect = ();

        fn apply(&mut self, _: Arc<()>) -> Option<()> {
            None
        }

        fn run((): ()) {}
    }
    let change = Arc::new(());
    let relay = Relay::new(Keeps);
    mem::forget(relay.turn());
    relay.leave(change.clone());
    relay.leave(change.clone());
    assert_eq!(Arc::strong_count(&change), 3);
    drop(relay);
    assert_eq!(Arc::strong_count(&change), 1);
}

/// Code around the relay may park too: an unpark that is meant for it is not lost.
#[test]
fn an_unpark_is_not_taken_from_the_thread() {
    let relay = Relay::new(Arrivals::default());
    let turn = relay.turn();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            drop(relay.turn());
            thread::park(); // in vain, if the unpark below ended a sleep in `turn`
        });
        thread::sleep(Duration::from_millis(20)); // it sleeps by now, most likely
        waiter.thread().unpark();
        thread::sleep(Duration::from_millis(20));
        drop(turn);
    });
}
