//! After `fork()` the child has no workers. Whatever it does with its parent's pools fails with
//! one clear message, and nothing hangs.
#![cfg(all(unix, not(any(loom, shuttle))))]
#![allow(
    unsafe_code,
    reason = "fork, alarm, _exit and waitpid are foreign functions"
)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{assert_success, in_child, pool, role};

/// A forked child that has not come to an end after so many seconds is killed.
const SECONDS: u32 = 10;

/// Forks and runs `work` in the child, which must panic with the message if it is to fail.
fn in_forked_child(work: impl FnOnce(), fails: bool) {
    // SAFETY: the test process runs this one test. The child touches nothing that another thread may
    // have held, except what is being tested, and ends in `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a plain system call; the alarm kills the child.
        unsafe { libc::alarm(SECONDS) };
        let code = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(()) => i32::from(fails),
            Err(payload) => {
                let message = payload.downcast_ref::<String>().map(String::as_str);
                let message = message.or(payload.downcast_ref::<&str>().copied());
                let is_clear = message.is_some_and(|text| text.contains("forked"));
                if fails && is_clear { 0 } else { 2 }
            }
        };
        // SAFETY: ends the child without running what belongs to the parent.
        unsafe { libc::_exit(code) };
    }
    assert!(child > 0, "fork failed");
    let mut status = 0;
    // SAFETY: waits for our own child, and `status` is ours.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child);
    assert!(!libc::WIFSIGNALED(status), "the forked child hangs");
    assert_ne!(
        libc::WEXITSTATUS(status),
        1,
        "the forked child did not fail"
    );
    assert_eq!(
        libc::WEXITSTATUS(status),
        0,
        "the forked child failed with another message"
    );
}

/// Runs the test `name` again in a process of its own, so that nothing else runs while it forks.
fn isolated(name: &str, test: impl FnOnce()) {
    match role() {
        Some(_) => test(),
        None => assert_success(name, &in_child(name, "child", &[])),
    }
}

#[test]
fn every_call_into_the_parents_pool_fails() {
    isolated("every_call_into_the_parents_pool_fails", || {
        let pool = pool(2);
        assert_eq!(pool.install(|| 1), 1);
        let calls: [&dyn Fn(); 5] = [
            &|| pool.install(|| ()),
            &|| assert_eq!(pool.join(|| 1, || 2), (1, 2)),
            &|| pool.scope(|_| ()),
            &|| drop(pool.spawn(|| ())),
            &|| drop(pool.spawn_batch([|| (), || ()])),
        ];
        for call in calls {
            in_forked_child(call, true);
        }
        // The parent is none the worse for it.
        assert_eq!(pool.join(|| 1, || 2), (1, 2));
    });
}

#[test]
fn the_global_pool_of_the_parent_fails() {
    isolated("the_global_pool_of_the_parent_fails", || {
        filch::join(|| (), || ());
        let calls: [&dyn Fn(); 4] = [
            &|| assert_eq!(filch::join(|| 1, || 2), (1, 2)),
            &|| filch::scope(|_| ()),
            &|| drop(filch::spawn(|| ())),
            &|| drop(filch::spawn_batch([|| ()])),
        ];
        for call in calls {
            in_forked_child(call, true);
        }
    });
}

#[test]
fn waiting_for_a_job_of_the_parents_fails() {
    isolated("waiting_for_a_job_of_the_parents_fails", || {
        let pool = pool(1);
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let mut handle = Some(pool.spawn(move || ended.recv().is_ok()));
        in_forked_child(|| drop(handle.take().map(filch::JoinHandle::join)), true);
        drop(end);
    });
}

#[test]
fn dropping_the_parents_pool_does_not_hang() {
    isolated("dropping_the_parents_pool_does_not_hang", || {
        let mut pool = Some(pool(2));
        assert_eq!(pool.as_ref().map(|pool| pool.install(|| 1)), Some(1));
        // Quietly: a panic in a destructor would do more harm than good.
        in_forked_child(|| drop(pool.take()), false);
    });
}

#[test]
fn a_worker_that_forks_fails_in_the_child_when_it_waits() {
    isolated(
        "a_worker_that_forks_fails_in_the_child_when_it_waits",
        || {
            let pool = pool(2);
            pool.install(|| {
                let forked = common::Flag::default();
                filch::join(
                    // The sibling runs on the other worker, which the child does not have.
                    || {
                        forked.wait();
                        in_forked_child(
                            || {
                                let never = common::Flag::default();
                                filch::scope(|s| {
                                    std::thread::scope(|threads| {
                                        threads.spawn(|| s.spawn(|_| never.raise()));
                                    });
                                });
                            },
                            true,
                        );
                    },
                    || forked.raise(),
                );
            });
        },
    );
}

#[test]
fn the_child_may_build_a_pool_of_its_own() {
    isolated("the_child_may_build_a_pool_of_its_own", || {
        let parents = pool(2);
        assert_eq!(parents.install(|| 1), 1);
        let own = || {
            let pool = pool(2);
            let (left, right) = (common::Flag::default(), common::Flag::default());
            pool.join(
                || {
                    left.raise();
                    right.wait();
                },
                || {
                    right.raise();
                    left.wait();
                },
            );
        };
        in_forked_child(own, false);
    });
}
