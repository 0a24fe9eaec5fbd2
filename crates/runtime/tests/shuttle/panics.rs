//! Panics.

use super::*;

#[test]
fn panic_in_the_second_child() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(|| done.fetch_add(1, SeqCst), || give_up("second"))
        }));
        assert_eq!(why(joined.unwrap_err()), "second");
        assert_eq!(done.into_inner(), 1);
        assert_eq!(pool.install(|| fib(2)), 1, "the pool lives on");
    });
}

#[test]
fn panic_in_the_first_child_waits_for_the_second() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                || give_up("first"),
                || join(|| done.fetch_add(1, SeqCst), || ()),
            )
        }));
        assert_eq!(why(joined.unwrap_err()), "first");
        assert_eq!(done.into_inner(), 1);
    });
}

/// The second closure is certainly stolen, and both panic.
#[test]
fn panics_on_two_workers() {
    check_both(2, |pool| {
        let stolen = Gate::new();
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                || {
                    stolen.pass();
                    give_up("first")
                },
                || {
                    stolen.open();
                    give_up("second")
                },
            )
        }));
        assert_eq!(why(joined.unwrap_err()), "first");
    });
}

#[test]
fn panics_in_a_scope() {
    check_both(2, |pool| {
        let done = AtomicUsize::new(0);
        let scoped = catch_unwind(AssertUnwindSafe(|| {
            pool.scope(|s| {
                s.spawn(|s| {
                    s.spawn(|_| _ = done.fetch_add(1, SeqCst));
                    give_up("child")
                });
                s.spawn(|_| _ = done.fetch_add(1, SeqCst));
            })
        }));
        assert_eq!(why(scoped.unwrap_err()), "child");
        assert_eq!(done.into_inner(), 2);
    });
}
