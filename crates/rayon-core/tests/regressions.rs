//! What goes wrong on upstream's core, under plain rayon iterators.
//!
//! A deadlock is a test that does not end. Each runs on threads of its own and is given a minute, many times
//! what it takes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Fails if `work` does not come to an end.
fn finishes(work: impl FnOnce() + Send + 'static) {
    let (done, ended) = channel();
    let worker = thread::spawn(move || {
        work();
        done.send(()).unwrap();
    });
    match ended.recv_timeout(Duration::from_secs(60)) {
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

/// rayon#592: a lock is held across a parallel iterator, by many items of another.
#[test]
fn a_lock_held_across_an_iterator() {
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let total = Mutex::new(0);
            pool.install(|| {
                (0..300).into_par_iter().for_each(|_| {
                    let mut total = total.lock().unwrap();
                    let inner = |n: usize| {
                        compute_for(Duration::from_micros(10));
                        n
                    };
                    *total += (0..8_usize).into_par_iter().map(inner).sum::<usize>();
                });
            });
            assert_eq!(total.into_inner().unwrap(), 300 * 28);
        }
    });
}

/// rayon#1205, rayon#1251: an initialiser that runs once, while others wait for it, uses a parallel iterator.
#[test]
fn an_iterator_in_a_lazy_initialiser() {
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                (0..100).into_par_iter().for_each(|_| {
                    let lazy: OnceLock<usize> = OnceLock::new();
                    let sum = (0..64_usize).into_par_iter().with_max_len(1).map(|_| {
                        *lazy.get_or_init(|| {
                            let inner = (0..32_usize).into_par_iter().with_max_len(1);
                            inner
                                .map(|n| {
                                    compute_for(Duration::from_micros(1));
                                    n
                                })
                                .sum()
                        })
                    });
                    assert_eq!(sum.sum::<usize>(), 64 * 496);
                });
            });
        }
    });
}

/// rayon#854: items that wait for iterators of their own and take on other such items meanwhile pile them on
/// each other until the stack is full, which would end this process.
#[test]
fn items_that_wait_do_not_pile_up() {
    fn item() -> usize {
        let frame = std::hint::black_box([1_u8; 2048]);
        let inner = (0..4_usize).into_par_iter().with_max_len(1).map(|n| {
            compute_for(Duration::from_micros(1));
            n
        });
        let sum = inner.sum::<usize>();
        sum * usize::from(std::hint::black_box(&frame)[0])
    }
    finishes(|| {
        for threads in [2, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .stack_size(128 << 10)
                .build()
                .unwrap();
            let run = AtomicUsize::new(0);
            pool.scope(|s| {
                for _ in 0..5_000 {
                    s.spawn(|_| {
                        run.fetch_add(item(), Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(run.into_inner(), 5_000 * 6);
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

/// An idle pool uses no processor: in a process of its own, where nothing else runs, and for long enough that
/// a single worker that searches would show in ticks of 10 ms.
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
    let pool = ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    assert_eq!(
        pool.install(|| (0..1000_u64).into_par_iter().sum::<u64>()),
        499_500
    );
    thread::sleep(Duration::from_millis(200));
    let before = ticks();
    thread::sleep(Duration::from_secs(2));
    assert!(ticks() - before <= 1, "{} ticks of 2 s", ticks() - before);
}
