//! The time from an outside spawn to the start of the job, when the pool had nothing to do for a
//! while. The spawning thread sleeps meanwhile.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::TableGroup;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{Caller, Runtime};

/// How long the pool idles, with the words for it.
const PAUSES: [(Duration, &str); 2] = [
    (
        Duration::from_micros(100),
        "outside spawn to start after 0.1 ms",
    ),
    (
        Duration::from_millis(2),
        "outside spawn to start after 2 ms",
    ),
];

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let samples = options.scale.pick(50, 200);
    let rows = options.threads.iter().flat_map(|threads| {
        let (group, caller) = (TableGroup::Jobs, Caller::Spawns);
        let experiment = Experiment::new(options, group, "spawn-start", *threads, caller);
        experiment.rows(
            &PAUSES.map(|(_, what)| (what, Unit::Microseconds)),
            |runtime| {
                PAUSES
                    .map(|(pause, _)| (0..samples).map(|_| once(runtime, pause)).collect())
                    .into()
            },
        )
    });
    rows.collect()
}

/// Nanoseconds from one spawn to the start of its job.
fn once(runtime: &Runtime, pause: Duration) -> f64 {
    let (started, starts) = mpsc::sync_channel(1);
    let job = move || {
        let now = Instant::now();
        started.send(now).expect("the spawning thread waits");
    };
    thread::sleep(pause);
    let spawned = Instant::now();
    runtime.spawn(job);
    let start = starts.recv().expect("the job sends before it ends");
    start.saturating_duration_since(spawned).as_nanos() as f64
}
