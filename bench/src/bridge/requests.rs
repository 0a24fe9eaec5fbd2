//! Small requests beside large batches, on one executor.

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use filch::{CoreBudget, Pool};
use tokio::runtime::{Builder, Runtime};

use super::figures::{latency, sorted_micros};
use super::{Row, Table};
use crate::clock::{sleep_exactly, sleep_until, spin, spins_per_us};

pub(super) const TABLE: Table = Table {
    name: "requests",
    about: "Microseconds from the arrival of a small request (20 µs of work) to its end, one each \
            millisecond, and of a batch (20 ms of divisible work), four at once each 200 ms: 40 % of \
            two processors. The executor has two threads and so has the pool, unless a budget \
            shares the processors out: one and one.",
    numbers: &["median", "p99", "largest", "batch median", "batch largest"],
    rows,
};

const DURATION: Duration = Duration::from_secs(6);
const REQUEST_EVERY: Duration = Duration::from_millis(1);
const BATCHES_EVERY: Duration = Duration::from_millis(200);
const BATCHES: usize = 4;
const REQUEST_MICROS: f64 = 20.0;
/// A batch is a tree of joins with so many leaves.
const LEAVES: u32 = 400;
const LEAF_MICROS: f64 = 50.0;

/// Iterations of [`spin`].
#[derive(Clone, Copy)]
struct Work {
    request: u64,
    leaf: u64,
}

type Samples = Arc<Mutex<Vec<Duration>>>;

fn rows() -> Vec<Row> {
    let per_micro = spins_per_us();
    let work = Work {
        request: (per_micro * REQUEST_MICROS) as u64,
        leaf: (per_micro * LEAF_MICROS) as u64,
    };
    let rayon = rayon::ThreadPoolBuilder::new().num_threads(2);
    let rayon = Arc::new(rayon.build().expect("the threads start"));
    let on_rayon = move || {
        tree(LEAVES, work.leaf, &|a, b| {
            rayon::join(a, b);
        });
    };
    let on_filch = move || {
        tree(LEAVES, work.leaf, &|a, b| {
            filch::join(a, b);
        });
    };
    let in_handler = {
        let rayon = Arc::clone(&rayon);
        measure(&runtime(2), work, move || {
            rayon.install(on_rayon);
            std::future::ready(())
        })
    };
    let blocking = {
        let rayon = Arc::clone(&rayon);
        measure(&runtime(2), work, move || {
            let rayon = Arc::clone(&rayon);
            let batch = tokio::task::spawn_blocking(move || rayon.install(on_rayon));
            async { batch.await.expect("a batch does not panic") }
        })
    };
    let tokio_rayon = measure(&runtime(2), work, move || {
        tokio_rayon::AsyncThreadPool::spawn_async(&*rayon, on_rayon)
    });
    let pool = Pool::new(2).expect("the threads start");
    let run = measure(&runtime(2), work, move || pool.run(on_filch));
    let budget = CoreBudget::new(2);
    let (requests, batches) = (budget.take(1), budget.take_rest());
    let [requests, batches] = [requests, batches].map(|cores| cores.expect("there are two"));
    let pool = Pool::new(batches.count()).expect("the thread starts");
    let shared = measure(&runtime(requests.count()), work, move || pool.run(on_filch));
    vec![
        Row::new("rayon inside the handler", in_handler),
        Row::new("spawn_blocking around rayon", blocking),
        Row::new("tokio-rayon", tokio_rayon),
        Row::new("Pool::run", run),
        Row::new("Pool::run, CoreBudget", shared),
    ]
}

fn runtime(threads: usize) -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(threads).build();
    runtime.expect("the runtime starts")
}

type Half<'a> = &'a (dyn Fn() + Sync);

fn tree(leaves: u32, leaf: u64, join: &(impl Fn(Half<'_>, Half<'_>) + Sync)) {
    if leaves == 1 {
        black_box(spin(black_box(leaf)));
    } else {
        let left = || tree(leaves / 2, leaf, join);
        let right = || tree(leaves - leaves / 2, leaf, join);
        join(&left, &right);
    }
}

/// Requests and batches come at fixed times, from a thread that waits for none of them; what comes
/// late because the executor is busy counts from the time at which it should have come.
fn measure<F, B>(runtime: &Runtime, work: Work, batch: B) -> Vec<f64>
where
    F: Future<Output = ()> + Send + 'static,
    B: Fn() -> F + Send + Sync + 'static,
{
    let (requests, batches) = (Samples::default(), Samples::default());
    let batch = Arc::new(batch);
    thread::scope(|threads| {
        threads.spawn(|| {
            sleep_exactly();
            let begin = Instant::now();
            let number = (DURATION.as_micros() / REQUEST_EVERY.as_micros()) as u32;
            let batch_every = (BATCHES_EVERY.as_micros() / REQUEST_EVERY.as_micros()) as u32;
            for request in 0..number {
                let due = begin + REQUEST_EVERY * request;
                sleep_until(due);
                if request % batch_every == 0 {
                    for _ in 0..BATCHES {
                        let (batch, samples) = (Arc::clone(&batch), Arc::clone(&batches));
                        runtime.spawn(async move {
                            batch().await;
                            samples.lock().expect("no panic").push(due.elapsed());
                        });
                    }
                }
                let samples = Arc::clone(&requests);
                runtime.spawn(async move {
                    black_box(spin(black_box(work.request)));
                    samples.lock().expect("no panic").push(due.elapsed());
                });
            }
            // The last batches end.
            thread::sleep(BATCHES_EVERY);
        });
    });
    let taken = |samples: Samples| samples.lock().expect("no panic").clone();
    let (requests, batches) = (taken(requests), taken(batches));
    let of_batches = sorted_micros(&batches);
    let mut figures = latency(&requests).to_vec();
    figures.extend([
        of_batches[of_batches.len() / 2],
        of_batches[of_batches.len() - 1],
    ]);
    figures
}
