//! No thread becomes a worker twice, and a builder that is never run keeps no thread alive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rayon_core::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

/// A pool of one worker without a thread, and that worker.
fn unstarted() -> (ThreadPool, ThreadBuilder) {
    let mut kept = None;
    let keep = |worker| {
        kept = Some(worker);
        Ok(())
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .spawn_handler(keep)
        .build();
    (pool.unwrap(), kept.unwrap())
}

/// A worker runs the builder of another pool in the middle of a join whose second half another
/// thread runs. That half writes into a frame of this thread.
#[test]
fn a_builder_that_is_run_by_a_worker() {
    fn victim(other: ThreadPool, worker: ThreadBuilder) {
        let (stolen, mut written) = (AtomicBool::new(false), [0_u64; 512]);
        let there = &mut written;
        rayon_core::join(
            || {
                while !stolen.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                drop(other);
                worker.run();
            },
            || {
                stolen.store(true, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(100));
                there.fill(0xdead_beef);
            },
        );
    }
    /// Frames that lie where those of `victim` were.
    #[inline(never)]
    fn innocent() -> u64 {
        let frame = std::hint::black_box([0_u64; 2048]);
        thread::sleep(Duration::from_millis(200));
        std::hint::black_box(&frame).iter().sum()
    }
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (other, worker) = unstarted();
    let (refused, sum) = pool.install(|| {
        let refused = catch_unwind(AssertUnwindSafe(|| victim(other, worker)));
        (refused.is_err(), innocent())
    });
    assert!(refused, "a worker cannot become another");
    assert_eq!(sum, 0);
    assert_eq!(pool.install(rayon_core::current_num_threads), 2);
}

#[test]
fn use_current_thread_on_a_worker() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = || {
        ThreadPoolBuilder::new()
            .num_threads(1)
            .use_current_thread()
            .build()
    };
    assert!(pool.install(|| again().is_err()));
    thread::spawn(move || {
        let first = again().unwrap();
        assert!(again().is_err());
        assert_eq!(first.install(|| rayon_core::join(|| 1, || 2)), (1, 2));
        drop(first);
        assert!(again().is_err());
        assert_eq!(rayon_core::join(|| 1, || 2), (1, 2));
    })
    .join()
    .unwrap();
}

/// As on upstream's core, the other threads end.
#[test]
fn a_builder_that_is_never_run() {
    let ended = Arc::new(AtomicUsize::new(0));
    let threads = Mutex::new(Vec::new());
    let spawn = |worker: ThreadBuilder| {
        if worker.index() == 1 {
            std::mem::forget(worker);
        } else {
            let ended = Arc::clone(&ended);
            threads.lock().unwrap().push(thread::spawn(move || {
                worker.run();
                ended.fetch_add(1, Ordering::SeqCst);
            }));
        }
        Ok(())
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(3)
        .spawn_handler(spawn)
        .build()
        .unwrap();
    assert_eq!(pool.install(|| 1), 1);
    drop(pool);
    for thread in threads.into_inner().unwrap() {
        thread.join().unwrap();
    }
    assert_eq!(ended.load(Ordering::SeqCst), 2);
}

/// The thread that builds the pool is its worker 0, and no handler is called for it.
#[test]
fn handlers_and_the_current_thread() {
    thread::spawn(|| {
        let log = Arc::new(Mutex::new(Vec::new()));
        let note = |what: &'static str| {
            let log = Arc::clone(&log);
            move |index| log.lock().unwrap().push((index, what))
        };
        let mut threads = Vec::new();
        let spawn = |worker: ThreadBuilder| {
            threads.push(thread::spawn(|| worker.run()));
            Ok(())
        };
        let builder = ThreadPoolBuilder::new().num_threads(3).use_current_thread();
        let builder = builder
            .start_handler(note("start"))
            .exit_handler(note("exit"));
        let pool = builder.spawn_handler(spawn).build().unwrap();
        assert_eq!(pool.current_thread_index(), Some(0));
        assert_eq!(pool.broadcast(|context| context.index()), [0, 1, 2]);
        drop(pool);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let mut log = std::mem::take(&mut *log.lock().unwrap());
        log.sort_unstable();
        assert_eq!(log, [(1, "exit"), (1, "start"), (2, "exit"), (2, "start")]);
    })
    .join()
    .unwrap();
}

/// A spawn handler that fails, panics or drops its builder: what was started ends.
#[test]
fn spawn_handlers_that_give_up() {
    for way in 0..3 {
        let threads = Mutex::new(Vec::new());
        let spawn = |worker: ThreadBuilder| {
            if worker.index() < 2 {
                threads.lock().unwrap().push(thread::spawn(|| worker.run()));
                return Ok(());
            }
            match way {
                0 => Err(std::io::Error::other("no thread for you")),
                1 => std::panic::resume_unwind(Box::new(1)),
                _ => {
                    drop(worker);
                    Ok(())
                }
            }
        };
        let build = || {
            ThreadPoolBuilder::new()
                .num_threads(3)
                .spawn_handler(spawn)
                .build()
        };
        let built = catch_unwind(AssertUnwindSafe(build));
        match (way, built) {
            (0, Ok(Err(_))) | (1, Err(_)) => {}
            (2, Ok(Ok(pool))) => assert_eq!(pool.install(|| 7), 7),
            (_, other) => panic!("{way}: {other:?}"),
        }
        for thread in threads.into_inner().unwrap() {
            thread.join().unwrap();
        }
    }
}
