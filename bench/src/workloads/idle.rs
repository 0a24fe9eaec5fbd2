//! The CPU time of a pool without work: left alone, and while a thread is inside it but sleeps.

use std::thread;
use std::time::{Duration, Instant};

use super::TableGroup;
use super::fib::Fib;
use crate::clock::cpu_time;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{self, Caller, ForkJoinProgram, Runtime};
use crate::sampling::Sampling;

/// How long a pool may take until all its workers sleep.
const SETTLE: Duration = Duration::from_millis(50);

/// A sleep, wherever it runs.
#[derive(Debug)]
struct Nap(Duration);

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let nap = Nap(Duration::from_millis(options.scale.pick(500, 1000)));
    let threads = options.threads.iter().copied().max().unwrap_or(1);
    let experiment = |caller| Experiment::new(options, TableGroup::Cpu, "idle", threads, caller);
    let alone = experiment(Caller::Leaves).rows(&[("left alone", Unit::CpuShare)], |runtime| {
        warm_up(runtime);
        vec![vec![cpu_share(|| thread::sleep(nap.0))]]
    });
    let entered = experiment(Caller::Joins).rows(&[("entered", Unit::CpuShare)], |runtime| {
        warm_up(runtime);
        let plan = Sampling::mean_of(1);
        vec![vec![cpu_share(|| {
            drop(runtimes::inside(runtime, &nap, &plan))
        })]]
    });
    alone.into_iter().chain(entered).collect()
}

/// Gives the pool something to do once, and its workers time to fall asleep.
fn warm_up(runtime: &Runtime) {
    match runtime {
        Runtime::BevyTasks(_) | Runtime::Threadpool(_) | Runtime::RustyPool(_) => {
            runtime.spawn(|| ());
        }
        _ => drop(runtimes::outside(
            runtime,
            &Fib::of(20),
            &Sampling::mean_of(1),
        )),
    }
    thread::sleep(SETTLE);
}

/// CPU-seconds per second while `f` runs.
fn cpu_share(f: impl FnOnce()) -> f64 {
    let (wall, cpu) = (Instant::now(), cpu_time());
    f();
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    cpu.as_secs_f64() / wall.as_secs_f64()
}

impl ForkJoinProgram for Nap {
    type State = ();
    type Output = ();

    fn state(&self) {}
    fn serial(&self, (): &mut ()) {
        thread::sleep(self.0);
    }
    fn filch(&self, (): &mut ()) {
        thread::sleep(self.0);
    }
    fn rayon(&self, (): &mut ()) {
        thread::sleep(self.0);
    }
    fn chili(&self, _: &mut chili::Scope<'_>, (): &mut ()) {
        thread::sleep(self.0);
    }
    #[cfg(feature = "forte")]
    fn forte(&self, _: &forte::Worker, (): &mut ()) {
        thread::sleep(self.0);
    }
    fn verify(&self, (): &(), (): ()) {}
}
