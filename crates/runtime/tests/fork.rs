//! After `fork()` the child has no workers. Whatever it does with its parent's pools fails with one
//! clear message, and nothing hangs.
#![cfg(all(unix, not(any(loom, shuttle))))]
#![allow(
    unsafe_code,
    reason = "fork, alarm, _exit and waitpid are foreign functions"
)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Flag, IDLE_POLICIES, assert_success, in_child, pool, role};
use filch::Pool;

/// A forked child that has not ended after so many seconds is killed.
const SECONDS: u32 = 60;

/// Forks and runs `work` in the child, which must panic with the message if it is to fail.
fn in_forked_child(work: impl FnOnce(), fails: bool) {
    let child = fork();
    if child == 0 {
        end_child(catch_unwind(AssertUnwindSafe(work)), fails);
    }
    check_child(child);
}

/// Ends this process, a forked child, with a code that tells whether the outcome is the expected
/// one.
fn end_child(outcome: std::thread::Result<()>, fails: bool) -> ! {
    let code = match outcome {
        Ok(()) => i32::from(fails),
        Err(payload) => {
            let message = payload.downcast_ref::<String>().map(String::as_str);
            let message = message.or(payload.downcast_ref::<&str>().copied());
            let is_clear = message.is_some_and(|text| text.contains("forked"));
            if fails && is_clear { 0 } else { 2 }
        }
    };
    // SAFETY: ends the child without running what belongs to the parent.
    unsafe { libc::_exit(code) }
}

fn check_child(child: libc::pid_t) {
    let code = wait_for(child);
    assert_ne!(code, 1, "the forked child did not fail");
    assert_eq!(code, 0, "the forked child failed with another message");
}

/// 0 in the child, which must not live long.
fn fork() -> libc::pid_t {
    // SAFETY: the test process runs this one test. The child uses nothing that another thread may
    // have held, except what is being tested, and ends in `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork failed");
    if child == 0 {
        // SAFETY: a plain system call; the alarm kills the child.
        unsafe { libc::alarm(SECONDS) };
    }
    child
}

/// The exit code of a forked child.
fn wait_for(child: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: waits for our own child, and `status` is ours.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child);
    assert!(
        !libc::WIFSIGNALED(status),
        "the forked child hangs or crashes"
    );
    libc::WEXITSTATUS(status)
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
        // The parent's pool still works.
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
        // Without a panic: one in a destructor would abort.
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
                let forked = Flag::default();
                filch::join(
                    // The sibling runs on the other worker, which the child does not have.
                    || {
                        forked.wait();
                        in_forked_child(
                            || {
                                let never = Flag::default();
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

/// What was spawned before the fork runs in the parent only.
#[test]
fn the_child_does_not_wait_for_a_scope_of_the_parent() {
    isolated("the_child_does_not_wait_for_a_scope_of_the_parent", || {
        for idle in IDLE_POLICIES {
            let pool = Pool::builder().threads(1).idle(idle).build().unwrap();
            let (go_on, mut child) = (Flag::default(), 0);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.in_place_scope(|s| {
                    s.spawn(|_| go_on.wait());
                    child = fork();
                    go_on.raise();
                });
            }));
            if child == 0 {
                end_child(outcome, true);
            }
            outcome.unwrap();
            check_child(child);
        }
    });
}

#[test]
fn the_child_may_build_a_pool_of_its_own() {
    isolated("the_child_may_build_a_pool_of_its_own", || {
        let parents = pool(2);
        assert_eq!(parents.install(|| 1), 1);
        let own = || {
            let pool = pool(2);
            let (left, right) = (Flag::default(), Flag::default());
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

/// The child cannot give the seat back, and the memory of the worker's stack is reused there.
#[test]
fn forking_in_a_borrowed_seat() {
    fn descend(frames: u32) -> u32 {
        let frame = std::hint::black_box([frames; 64]);
        if frames == 0 {
            return 0;
        }
        descend(frames - 1) + frame[0]
    }
    isolated("forking_in_a_borrowed_seat", || {
        let pool = pool(2);
        while pool.metrics().total().parks < 2 {
            std::thread::yield_now();
        }
        let go_on = || {
            let threads = [(); 8].map(|()| std::thread::spawn(|| descend(200)));
            threads.into_iter().for_each(|thread| drop(thread.join()));
            assert!(filch::current_worker().is_some_and(|worker| worker < 2));
        };
        pool.scope(|_| in_forked_child(go_on, false));
        assert_eq!(pool.join(|| 1, || 2), (1, 2));
    });
}

/// The number of the thread and the affinity mask that go with a sleeper are the parent's.
#[test]
fn joins_in_the_child_wake_no_worker_of_the_parent() {
    isolated("joins_in_the_child_wake_no_worker_of_the_parent", || {
        let pool = pool(2);
        while pool.metrics().total().parks < 2 {
            std::thread::yield_now();
        }
        let wake_ups = || pool.metrics().total().wake_ups;
        let joins = || {
            let before = wake_ups();
            for _ in 0..100 {
                assert_eq!(filch::join(|| 1, || 2), (1, 2));
            }
            assert_eq!(wake_ups(), before);
        };
        pool.scope(|_| in_forked_child(joins, false));
        assert_eq!(pool.join(|| 1, || 2), (1, 2));
    });
}

/// Other threads take the locks of the pool again and again.
#[test]
fn a_child_leaves_a_borrowed_seat_while_locks_are_held() {
    isolated(
        "a_child_leaves_a_borrowed_seat_while_locks_are_held",
        || {
            let pool = pool(4);
            let done = AtomicBool::new(false);
            let send = || {
                while !done.load(Ordering::Relaxed) {
                    pool.spawn(|| ()).join().unwrap();
                }
            };
            std::thread::scope(|s| {
                s.spawn(send);
                s.spawn(send);
                let own = std::thread::current().id();
                for _ in 0..300 {
                    let is_lent = || std::thread::current().id() == own;
                    match pool.scope(|_| is_lent().then(fork)) {
                        // SAFETY: ends the child without running what belongs to the parent.
                        Some(0) => unsafe { libc::_exit(0) },
                        Some(child) => assert_eq!(wait_for(child), 0),
                        // All workers were awake.
                        None => {}
                    }
                }
                done.store(true, Ordering::Relaxed);
            });
        },
    );
}

/// A pool of two workers with jobs that block, so that spare threads run what is spawned.
struct Blocked {
    pool: Pool,
    senders: Vec<std::sync::mpsc::Sender<()>>,
    jobs: Vec<filch::JoinHandle<bool>>,
}

impl Blocked {
    fn new() -> Self {
        Self {
            pool: pool(2),
            senders: Vec::new(),
            jobs: Vec::new(),
        }
    }

    /// Runs `work` on a spare thread.
    fn run_on_spare(&mut self, work: impl Fn() + Clone + Send + 'static) {
        loop {
            let work = work.clone();
            let is_spare = || filch::current_worker() >= Some(2);
            if self
                .pool
                .spawn(move || is_spare().then(work))
                .join()
                .unwrap()
                .is_some()
            {
                return;
            }
            // A worker was free. It may take the job that blocks, or the next one.
            let (sender, receiver) = std::sync::mpsc::channel();
            let blocks = move || filch::blocking(|| receiver.recv().is_err());
            self.jobs.push(self.pool.spawn(blocks));
            self.senders.push(sender);
        }
    }

    fn end(self) {
        drop(self.senders);
        for job in self.jobs {
            assert!(job.join().unwrap());
        }
        assert_eq!(self.pool.join(|| 1, || 2), (1, 2));
    }
}

#[test]
fn a_process_with_spare_threads_forks() {
    isolated("a_process_with_spare_threads_forks", || {
        let mut blocked = Blocked::new();
        blocked.run_on_spare(|| ());
        in_forked_child(|| blocked.pool.install(|| ()), true);
        in_forked_child(|| drop(blocked.pool.spawn(|| ())), true);
        let own = || {
            let mut own = Blocked::new();
            own.run_on_spare(|| ());
            own.end();
        };
        in_forked_child(own, false);
        blocked.end();
    });
}

/// The forking thread is a spare one. Its forks in the child start no thread there.
#[cfg(target_os = "linux")]
#[test]
fn a_spare_thread_that_forks_starts_no_thread_in_the_child() {
    let name = "a_spare_thread_that_forks_starts_no_thread_in_the_child";
    isolated(name, || {
        let joins = || {
            for _ in 0..100 {
                assert_eq!(filch::join(|| 1, || 2), (1, 2));
            }
            let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
            assert_eq!(threads, 1);
        };
        let mut blocked = Blocked::new();
        blocked.run_on_spare(move || in_forked_child(joins, false));
        blocked.end();
    });
}
