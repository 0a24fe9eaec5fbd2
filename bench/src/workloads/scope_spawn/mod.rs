//! Many empty spawns into one scope, by a thread in the pool: what one of them costs, its
//! execution and its share of the scope's end included.

mod bevy_tasks;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::TableGroup;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{Caller, Runtime};

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let count = options.scale.pick(100_000, 1_000_000);
    let rows = options.threads.iter().flat_map(|threads| {
        let (group, caller) = (TableGroup::Jobs, Caller::Scopes);
        let experiment = Experiment::new(options, group, "scope-spawn", *threads, caller);
        experiment.rows(
            &[("per empty spawn into a scope", Unit::Nanoseconds)],
            |runtime| {
                let ran = AtomicU32::new(0);
                nanoseconds(runtime, count, || _ = ran.fetch_add(1, Ordering::Relaxed));
                assert_eq!(ran.into_inner(), count, "spawns that ran");
                vec![vec![
                    nanoseconds(runtime, count, || black_box(())) / f64::from(count),
                ]]
            },
        )
    });
    rows.collect()
}

/// How long a scope with `count` spawns of `job` lasts.
fn nanoseconds(runtime: &Runtime, count: u32, job: impl Fn() + Sync) -> f64 {
    match runtime {
        Runtime::Filch(pool) => pool.install(|| timed(|| filch::spawn_all(count, &job))),
        Runtime::Rayon(pool) => pool.install(|| timed(|| rayon::spawn_all(count, &job))),
        #[cfg(feature = "forte")]
        Runtime::Forte(pool) => pool.enter(|w| timed(|| forte::spawn_all(w, count, &job))),
        Runtime::BevyTasks(pool) => timed(|| bevy_tasks::spawn_all(pool, count, &job)),
        Runtime::Serial | Runtime::Chili(_) | Runtime::Threadpool(_) | Runtime::RustyPool(_) => {
            unreachable!("a runtime without scopes; RuntimeKind::can says so")
        }
    }
}

fn timed(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_nanos() as f64
}
