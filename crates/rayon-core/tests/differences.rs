//! Where this core differs from upstream's, one test for each paragraph of `docs/rayon.md`.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use rayon_core::{ThreadPool, ThreadPoolBuilder, Yield};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

thread_local! {
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// A worker that waits in a `join` does not run unrelated jobs. (Upstream's worker runs them
/// there.)
#[test]
fn a_waiting_worker_runs_nothing_unrelated() {
    let pool = pool(2);
    let on_top = Arc::new(AtomicUsize::new(0));
    let stolen = Barrier::new(2);
    pool.install(|| {
        WAITS.set(true);
        rayon_core::join(
            || {
                stolen.wait();
                // The other worker runs the second half by now, so only this worker could run
                // these.
                for _ in 0..10 {
                    let on_top = Arc::clone(&on_top);
                    rayon_core::spawn(move || {
                        on_top.fetch_add(usize::from(WAITS.get()), Ordering::SeqCst);
                    });
                }
            },
            || {
                stolen.wait();
                thread::sleep(Duration::from_millis(50));
            },
        );
        WAITS.set(false);
    });
    pool.broadcast(|_| ());
    assert_eq!(on_top.load(Ordering::SeqCst), 0);
}

/// A worker that waits for another pool leaves its own jobs to other threads. In a pool with one
/// thread there is no other, and it runs them, as upstream's worker does.
#[test]
fn a_worker_that_calls_another_pool_only_waits() {
    for threads in [1, 2] {
        let (one, other) = (pool(threads), pool(1));
        let (send, receive) = channel();
        one.install(|| {
            rayon_core::spawn(move || send.send(WAITS.get()).unwrap());
            WAITS.set(true);
            other.install(|| thread::sleep(Duration::from_millis(50)));
            WAITS.set(false);
        });
        assert_eq!(receive.recv(), Ok(threads == 1));
    }
}

/// A scope ends with its children, and a spawned job comes after it, although it is the newest. In
/// a pool with one thread the newest comes first, as upstream.
#[test]
fn a_spawned_job_comes_after_what_was_forked() {
    assert_eq!(child_and_job(&pool(1)), ["job", "child"]);
    let pool = pool(2);
    let (busy, go_on) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (is_busy, waits) = (Arc::clone(&busy), Arc::clone(&go_on));
    pool.spawn(move || {
        is_busy.wait();
        waits.wait();
    });
    // The other worker takes nothing.
    busy.wait();
    assert_eq!(child_and_job(&pool), ["child", "job"]);
    go_on.wait();
}

/// The order in which a worker runs a child of a scope and a job that it spawns after it.
fn child_and_job(pool: &ThreadPool) -> Vec<&'static str> {
    let (send, receive) = channel();
    let (child, job) = (send.clone(), send);
    pool.install(|| {
        rayon_core::scope(|s| {
            s.spawn(move |_| child.send("child").unwrap());
            rayon_core::spawn(move || job.send("job").unwrap());
        });
    });
    receive.iter().collect()
}

/// A job that has to wait for a job behind it can yield to it.
#[test]
fn a_job_that_yields_runs_what_it_waits_for() {
    let pool = pool(1);
    let run = Arc::new(AtomicBool::new(false));
    pool.install(|| {
        let done = Arc::clone(&run);
        rayon_core::spawn(move || done.store(true, Ordering::SeqCst));
        assert_eq!(rayon_core::current_thread_has_pending_tasks(), Some(true));
        while !run.load(Ordering::SeqCst) {
            assert_eq!(rayon_core::yield_now(), Some(Yield::Executed));
        }
        assert_eq!(rayon_core::yield_local(), Some(Yield::Idle));
    });
}

/// Yielding begins with the queue. In the deque it takes the oldest: the second half of the
/// outermost join.
#[test]
fn yielding_takes_the_oldest_fork() {
    let (send, receive) = channel();
    let (outer, inner) = (send.clone(), send);
    pool(1).install(|| {
        rayon_core::join(
            || {
                rayon_core::join(
                    || assert_eq!(rayon_core::yield_local(), Some(Yield::Executed)),
                    || inner.send("inner").unwrap(),
                )
            },
            || outer.send("outer").unwrap(),
        );
    });
    assert_eq!(
        receive.iter().take(2).collect::<Vec<_>>(),
        ["outer", "inner"]
    );
}

/// Yielding also runs children of a scope, so a loop that yields until a child is done ends.
#[test]
fn yielding_runs_the_children_of_a_scope() {
    let done = AtomicBool::new(false);
    pool(1).scope(|s| {
        s.spawn(|_| done.store(true, Ordering::SeqCst));
        while !done.load(Ordering::SeqCst) {
            rayon_core::yield_local();
        }
    });
}

/// A waiting worker serves broadcasts all the same: what it waits for may be the broadcaster.
#[test]
fn a_waiting_worker_serves_broadcasts() {
    let pool = pool(2);
    let stolen = Barrier::new(2);
    let workers = pool.install(|| {
        let wait = || {
            stolen.wait();
        };
        let broadcast = || {
            stolen.wait();
            rayon_core::broadcast(|context| context.index())
        };
        rayon_core::join(wait, broadcast).1
    });
    assert_eq!(workers, [0, 1]);
}

/// The caller gets the panic of a scope's own closure, even if a child panicked before.
#[test]
fn the_panic_of_the_closure_comes_first() {
    let pool = pool(1);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.scope(|s| {
            s.spawn(|_| panic!("child"));
            rayon_core::yield_local();
            panic!("closure");
        })
    }));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"closure"));
}

/// `breadth_first` is accepted, and the newest job still comes first.
#[test]
#[allow(deprecated)]
fn breadth_first_changes_nothing() {
    let builder = ThreadPoolBuilder::new().num_threads(1).breadth_first();
    let pool = builder.build().unwrap();
    let (send, receive) = channel();
    pool.install(|| {
        for number in 0..3 {
            let send = send.clone();
            rayon_core::spawn(move || send.send(number).unwrap());
        }
    });
    assert_eq!(receive.iter().take(3).collect::<Vec<_>>(), [2, 1, 0]);
}

/// After a global pool that could not be built, another may be.
#[test]
fn a_global_pool_may_be_tried_again() {
    let refused = |_| Err(std::io::Error::other("no thread for you"));
    let first = ThreadPoolBuilder::new()
        .spawn_handler(refused)
        .build_global();
    assert_eq!(first.unwrap_err().to_string(), "no thread for you");
    ThreadPoolBuilder::new()
        .num_threads(2)
        .build_global()
        .unwrap();
    assert_eq!(rayon_core::current_num_threads(), 2);
    let again = ThreadPoolBuilder::new().build_global();
    assert!(again.is_err());
}
