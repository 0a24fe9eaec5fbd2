//! What awaiting adds to a job's way in and out.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::figures::median;
use super::{Row, Table};

pub(super) const TABLE: Table = Table {
    name: "way",
    about: "Nanoseconds for an empty job, in and out, on one worker: 1,000 jobs in flight, median of \
            51 repetitions; and one job at a time, median of 51 times 200. `spawn` is joined, the \
            others are awaited.",
    numbers: &["in flight", "one at a time"],
    rows,
};

const JOBS: usize = 1000;
const SINGLE: usize = 200;
const REPETITIONS: usize = 51;

/// Nanoseconds for a job: many in flight, and one at a time.
type Sample = [f64; 2];

fn rows() -> Vec<Row> {
    let pool = filch::Pool::new(1).expect("the thread starts");
    let rayon = rayon::ThreadPoolBuilder::new().num_threads(1);
    let rayon = rayon.build().expect("the thread starts");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .expect("the runtime starts");
    let intake = pool.intake(JOBS);
    let candidates: [(&str, &dyn Fn() -> Sample); 7] = [
        ("spawn, join", &|| joined(&pool)),
        ("JoinHandle.await", &|| awaited(|| pool.spawn(|| ()))),
        ("Pool::run", &|| awaited(|| pool.run(|| ()))),
        ("Pool::run_in a class", &|| {
            awaited(|| pool.run_in(filch::Class::Normal, || ()))
        }),
        ("Permit::run", &|| {
            awaited(|| intake.try_permit().expect("so many may wait").run(|| ()))
        }),
        ("tokio-rayon", &|| {
            awaited(|| tokio_rayon::AsyncThreadPool::spawn_async(&rayon, || ()))
        }),
        ("spawn_blocking", &|| {
            awaited(|| runtime.spawn_blocking(|| ()))
        }),
    ];
    // In turn, so that a disturbance of the machine meets all of them.
    let mut samples = candidates.map(|_| Vec::new());
    for _ in 0..REPETITIONS {
        for ((_, measure), samples) in candidates.iter().zip(&mut samples) {
            samples.push(measure());
        }
    }
    let row = |((name, _), samples): ((_, _), Vec<Sample>)| {
        Row::new(
            name,
            [0, 1].map(|column| median(samples.iter().map(|sample| sample[column]))),
        )
    };
    candidates.into_iter().zip(samples).map(row).collect()
}

fn joined(pool: &filch::Pool) -> Sample {
    sample(
        || {
            let jobs: Vec<_> = (0..JOBS).map(|_| pool.spawn(|| ())).collect();
            jobs.into_iter().for_each(|job| _ = job.join());
        },
        || _ = pool.spawn(|| ()).join(),
    )
}

fn awaited<F: Future>(job: impl Fn() -> F) -> Sample {
    sample(
        || {
            let jobs: Vec<_> = (0..JOBS).map(|_| job()).collect();
            jobs.into_iter().for_each(|job| _ = poll_until_ready(job));
        },
        || _ = poll_until_ready(job()),
    )
}

fn sample(many: impl Fn(), one: impl Fn()) -> Sample {
    let each = |jobs: usize, run: &dyn Fn()| {
        let began = Instant::now();
        run();
        began.elapsed().as_nanos() as f64 / jobs as f64
    };
    // The worker is awake.
    one();
    [
        each(JOBS, &many),
        each(SINGLE, &|| (0..SINGLE).for_each(|_| one())),
    ]
}

/// An executor that adds as little as possible: it polls again and again, as a caller that joins
/// looks again and again. Its waker does nothing.
fn poll_until_ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::hint::spin_loop(),
        }
    }
}
