//! Threads from outside that borrow the seat of a sleeping worker. All models that call
//! `Pool::join` or `Pool::scope` do so if a worker sleeps by then; these models check what is
//! particular to it.

use super::*;

/// Both callers borrow a seat, or one waits for the other; then there is a job for a sleeping
/// worker.
#[test]
fn two_callers_and_a_job() {
    check_both(1, |pool| {
        thread::scope(|s| {
            s.spawn(|| assert_eq!(pool.scope(|_| fib(2)), 1));
            s.spawn(|| assert_eq!(pool.scope(|_| fib(3)), 2));
        });
        assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
    });
}

/// Only the worker whose seat the caller had borrowed can run the job.
#[test]
fn a_job_left_in_a_lent_seat() {
    check_both(1, |pool| {
        let job = pool.scope(|_| filch::spawn(|| 1));
        assert_eq!(job.join().unwrap(), 1);
    });
}

#[test]
fn a_job_sent_to_a_lent_seat() {
    check_both(1, |pool| {
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| ()));
            s.spawn(|| assert_eq!(pool.spawn(|| 1).join().unwrap(), 1));
        });
    });
}

/// The caller forks, sleeps until a worker has run the stolen closure, and gives its seat back to a
/// worker that has to come for another fork.
#[test]
fn a_fork_while_a_seat_is_given_back() {
    check_both(2, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.join(|| gate.pass(), || gate.open()));
            s.spawn(|| assert_eq!(pool.scope(|_| fib(3)), 2));
        });
    });
}

/// The job may be sent to the seat of the first caller, which waits for it.
#[test]
fn a_job_behind_a_caller() {
    check_both(2, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| gate.pass()));
            s.spawn(|| {
                let gate = Arc::clone(&gate);
                pool.spawn(move || gate.open()).join().unwrap();
            });
        });
    });
}

/// A thread that borrows a seat may have ended the last search, and has to check for more work.
#[test]
fn a_fork_while_a_seat_is_borrowed() {
    check_both(3, |pool| {
        let gate = Gate::new();
        thread::scope(|s| {
            s.spawn(|| pool.scope(|_| gate.pass()));
            s.spawn(|| pool.join(|| gate.pass(), || gate.open()));
        });
    });
}

#[test]
fn a_caller_that_panics() {
    check_both(2, |pool| {
        let panics = || pool.join(|| give_up("first"), || fib(2));
        let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(why(panic), "first");
        assert_eq!(pool.scope(|_| fib(3)), 2);
    });
}
