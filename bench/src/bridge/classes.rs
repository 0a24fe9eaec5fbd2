//! How soon an urgent job begins while the pool has more than it can do.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use filch::{Class, Pool};

use super::figures::latency;
use super::{Row, Table};
use crate::clock::{sleep_exactly, sleep_until, spin, spins_per_us};

pub(super) const TABLE: Table = Table {
    name: "classes",
    about: "Microseconds from the spawn of an urgent job to its begin, one each 2 ms, while 200 other \
            jobs of 100 µs always wait for two workers; and how many of those end in a millisecond.",
    numbers: &["median", "p99", "largest", "others per ms"],
    rows,
};

const DURATION: Duration = Duration::from_secs(3);
const URGENT_EVERY: Duration = Duration::from_millis(2);
const OTHER_MICROS: f64 = 100.0;
const WAITING: usize = 200;

type Job = Box<dyn FnOnce() + Send>;

fn rows() -> Vec<Row> {
    let threads = 2;
    let pool = Arc::new(Pool::new(threads).expect("the threads start"));
    let spawn_in = |class| {
        let pool = Arc::clone(&pool);
        move |job: Job| drop(pool.spawn_in(class, job))
    };
    let plain = {
        let pool = Arc::clone(&pool);
        move |job: Job| drop(pool.spawn(job))
    };
    let own = Pool::new(threads).expect("the threads start");
    let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let rayon = Arc::new(rayon.build().expect("the threads start"));
    let on_rayon = |job: Job| rayon.spawn(job);
    let threadpool = threadpool::ThreadPool::new(threads);
    let on_threadpool = {
        let threadpool = threadpool.clone();
        move |job: Job| threadpool.execute(job)
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(threads).build();
    let runtime = runtime.expect("the runtime starts");
    let blocking = |job: Job| drop(runtime.spawn_blocking(job));
    vec![
        Row::new(
            "filch, spawn_in",
            measure(spawn_in(Class::High), spawn_in(Class::Low)),
        ),
        Row::new("filch, spawn", measure(plain.clone(), plain)),
        Row::new(
            "filch, a second pool for the urgent",
            measure(move |job: Job| drop(own.spawn(job)), spawn_in(Class::Low)),
        ),
        Row::new("rayon", measure(on_rayon, on_rayon)),
        Row::new("threadpool", measure(on_threadpool.clone(), on_threadpool)),
        Row::new("spawn_blocking", measure(blocking, blocking)),
    ]
}

fn measure(urgent: impl Fn(Job) + Sync, other: impl Fn(Job) + Sync) -> Vec<f64> {
    let work = (spins_per_us() * OTHER_MICROS) as u64;
    let (sent, ended) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let stop = AtomicBool::new(false);
    let samples: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let began = Instant::now();
    thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let waiting = sent.load(Ordering::Relaxed) - ended.load(Ordering::Relaxed);
                for _ in waiting..WAITING {
                    let ended = Arc::clone(&ended);
                    other(Box::new(move || {
                        black_box(spin(black_box(work)));
                        ended.fetch_add(1, Ordering::Relaxed);
                    }));
                    sent.fetch_add(1, Ordering::Relaxed);
                }
                thread::sleep(Duration::from_micros(500));
            }
        });
        sleep_until(began + Duration::from_millis(50));
        threads.spawn(|| {
            sleep_exactly();
            let begin = Instant::now();
            let number = (DURATION.as_micros() / URGENT_EVERY.as_micros()) as u32;
            for turn in 0..number {
                sleep_until(begin + URGENT_EVERY * turn);
                let (samples, spawned) = (Arc::clone(&samples), Instant::now());
                urgent(Box::new(move || {
                    samples.lock().expect("no panic").push(spawned.elapsed());
                }));
            }
            stop.store(true, Ordering::Relaxed);
        });
    });
    let rate = ended.load(Ordering::Relaxed) as f64 / began.elapsed().as_millis() as f64;
    // The last ones end.
    thread::sleep(Duration::from_millis(200));
    let samples = samples.lock().expect("no panic");
    latency(&samples).into_iter().chain([rate]).collect()
}
