//! What goes wrong on upstream's core, under plain rayon iterators.
//!
//! A deadlock is a test that does not end. Each test runs on threads of its own and has two
//! minutes, many times what it takes.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Fails if `work` does not end.
fn finishes(work: impl FnOnce() + Send + 'static) {
    let (done, ended) = channel();
    let worker = thread::spawn(move || {
        work();
        done.send(()).unwrap();
    });
    match ended.recv_timeout(Duration::from_secs(120)) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("deadlock"),
        _ => worker.join().unwrap(),
    }
}

fn compute_for(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Runs `number` tasks that come from outside the pool; a worker without work takes one.
fn tasks(pool: &ThreadPool, number: usize, task: &(dyn Fn(usize) + Sync)) {
    pool.in_place_scope(|s| (0..number).for_each(|n| s.spawn(move |_| task(n))));
}

/// A task that takes no lock. A worker that has finished it has time to steal.
fn harmless() {
    compute_for(Duration::from_micros(5));
}

/// An iterator whose parts are stolen.
fn inner() -> usize {
    let parts = (0..16_usize).into_par_iter().with_max_len(1).map(|n| {
        compute_for(Duration::from_micros(5));
        n
    });
    parts.sum()
}

/// rayon#592: some of many tasks hold a lock across a parallel iterator. On upstream's core a
/// worker that waits for a stolen part starts a task that takes the lock.
#[test]
fn a_lock_held_across_an_iterator() {
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let total = Mutex::new(0);
            tasks(&pool, 2_000, &|task| {
                if task % 4 == 0 {
                    let mut total = total.lock().unwrap();
                    *total += inner();
                } else {
                    harmless();
                }
            });
            assert_eq!(total.into_inner().unwrap(), 500 * 120);
        }
    });
}

/// rayon#1205, rayon#1251: an initialiser that runs once, while other threads wait for it, uses a
/// parallel iterator. On upstream's core the initialising worker starts a task that needs the
/// value.
#[test]
fn an_iterator_in_a_lazy_initialiser() {
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let values: Vec<OnceLock<usize>> = (0..500).map(|_| OnceLock::new()).collect();
            tasks(&pool, 16_000, &|task| {
                if task % 4 == 0 {
                    // Eight tasks, one after another, need one value.
                    assert_eq!(*values[task / 32].get_or_init(inner), 120);
                } else {
                    harmless();
                }
            });
        }
    });
}

/// rayon#854: tasks that wait for iterators, and start other such tasks meanwhile, pile up on a
/// stack. The test counts how many lie on one stack: here one, on upstream's core dozens.
#[test]
fn tasks_that_wait_do_not_pile_up() {
    thread_local! {
        static HERE: Cell<usize> = const { Cell::new(0) };
    }
    finishes(|| {
        for threads in [2, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let most = AtomicUsize::new(0);
            tasks(&pool, 2_000, &|task| {
                HERE.set(HERE.get() + 1);
                most.fetch_max(HERE.get(), Ordering::Relaxed);
                if task % 2 == 0 {
                    inner();
                } else {
                    harmless();
                }
                HERE.set(HERE.get() - 1);
            });
            assert_eq!(most.into_inner(), 1);
        }
    });
}

/// The processor time of this process, in clock ticks.
#[cfg(target_os = "linux")]
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which is in parentheses, come the state and ten more fields.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    fields
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum()
}

/// An idle pool uses no processor. The test runs in a process of its own, where nothing else runs,
/// and long enough for a single searching worker to show in ticks of 10 ms.
#[cfg(target_os = "linux")]
#[test]
fn an_idle_pool_uses_no_processor() {
    const CHILD: &str = "FILCH_IDLE_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "an_idle_pool_uses_no_processor"])
            .env(CHILD, "1")
            .status()
            .unwrap();
        assert!(child.success());
        return;
    }
    // A pool with more workers than processors searches for longer.
    let pools = [1, 4, 64].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.unwrap();
        let sum = pool.install(|| (0..1000_u64).into_par_iter().sum::<u64>());
        assert_eq!(sum, 499_500);
        pool
    });
    thread::sleep(Duration::from_millis(200));
    let before = ticks();
    thread::sleep(Duration::from_secs(2));
    assert!(ticks() - before <= 1, "{} ticks of 2 s", ticks() - before);
    drop(pools);
}
