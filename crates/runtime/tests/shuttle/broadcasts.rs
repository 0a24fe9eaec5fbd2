//! Broadcasts and scopes in place.

use super::*;

/// Every worker runs its own share, whatever it was doing.
#[test]
fn broadcast_from_outside() {
    check_both(2, |pool| {
        assert_eq!(pool.broadcast(|worker| worker.index()), [0, 1])
    });
}

/// The first worker waits for the second, which waits for the first to run its share.
#[test]
fn broadcast_below_a_waiting_worker() {
    check_both(2, |pool| {
        let gate = Gate::new();
        let waits = || gate.pass();
        let broadcasts = || {
            gate.open();
            scope(|s| s.spawn_broadcast(|_, _| ()));
        };
        pool.join(waits, broadcasts);
    });
}

#[test]
fn broadcasts_from_two_workers() {
    check_both(2, |pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        let broadcast = || {
            let runs = Arc::clone(&runs);
            scope(|s| {
                s.spawn_broadcast(move |_, _| {
                    runs.fetch_add(1, SeqCst);
                });
            });
        };
        pool.join(broadcast, broadcast);
        assert_eq!(runs.load(SeqCst), 4);
    });
}

/// A worker that waits within the older of two calls must not run the share of the younger one,
/// which waits for a pool whose only worker waits for the older call.
#[test]
fn broadcast_to_a_worker_of_an_older_call() {
    check(|| {
        let pools = Arc::new([1, 2, 1].map(|workers| builder(workers).build().unwrap()));
        let gate = Gate::new();
        let (older, younger) = (Arc::clone(&pools), Arc::clone(&pools));
        let called = Arc::clone(&gate);
        let older = thread::spawn(move || {
            older[0].install(|| older[1].join(|| called.open(), thread::yield_now));
        });
        gate.pass();
        younger[2].install(|| {
            younger[1].broadcast(|_| younger[0].install(|| ()));
        });
        older.join().unwrap();
    });
}

#[test]
fn scope_in_place() {
    check_both(2, |pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        pool.in_place_scope(|s| {
            for _ in 0..2 {
                let runs = Arc::clone(&runs);
                s.spawn(move |s| {
                    s.spawn(move |_| {
                        runs.fetch_add(1, SeqCst);
                    });
                });
            }
        });
        assert_eq!(runs.load(SeqCst), 2);
    });
}

#[test]
fn scope_in_place_on_a_worker_of_another_pool() {
    check(|| {
        let pools = [(); 2].map(|()| builder(1).build().unwrap());
        let runs = Arc::new(AtomicUsize::new(0));
        // The only worker of the first pool waits for the second, and has to run the child.
        pools[0].install(|| {
            pools[1].install(|| {
                pools[0].in_place_scope(|s| {
                    let runs = Arc::clone(&runs);
                    s.spawn(move |_| {
                        runs.fetch_add(1, SeqCst);
                    });
                });
            });
        });
        assert_eq!(runs.load(SeqCst), 1);
    });
}
