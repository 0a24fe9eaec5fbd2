//! Programs that fork and join, measured from inside a pool and from outside.

use super::Runtime;
use crate::sampling::Sampling;

/// One problem with its solution in every runtime that has a `join`: the same algorithm and the
/// same granularity, written the way the runtime's users write it.
pub(crate) trait ForkJoinProgram: Sync {
    /// What a run may change; made afresh for each sample, outside the measured time.
    type State: Send;
    /// What a run returns.
    type Output: Send;

    /// A fresh state.
    fn state(&self) -> Self::State;
    /// The plain program.
    fn serial(&self, state: &mut Self::State) -> Self::Output;
    /// With `filch::join`.
    fn filch(&self, state: &mut Self::State) -> Self::Output;
    /// With `rayon::join`.
    fn rayon(&self, state: &mut Self::State) -> Self::Output;
    /// With `chili::Scope::join`.
    fn chili(&self, scope: &mut chili::Scope<'_>, state: &mut Self::State) -> Self::Output;
    /// With `forte::Worker::join`.
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &forte::Worker, state: &mut Self::State) -> Self::Output;
    /// Panics unless the result is right.
    fn verify(&self, state: &Self::State, output: Self::Output);
}

/// Samples `program` on a thread that is in the pool already.
pub(crate) fn inside<P: ForkJoinProgram>(
    runtime: &Runtime,
    program: &P,
    plan: &Sampling,
) -> Vec<f64> {
    match runtime {
        Runtime::Serial => plan.sample(program, |p, state| p.serial(state)),
        Runtime::Filch(pool) => pool.install(|| plan.sample(program, |p, state| p.filch(state))),
        Runtime::Rayon(pool) => pool.install(|| plan.sample(program, |p, state| p.rayon(state))),
        Runtime::Chili(pool) => {
            let mut scope = pool.scope();
            plan.sample(program, |p, state| p.chili(&mut scope, state))
        }
        #[cfg(feature = "forte")]
        Runtime::Forte(pool) => {
            pool.enter(|worker| plan.sample(program, |p, state| p.forte(worker, state)))
        }
        Runtime::BevyTasks(_) | Runtime::Threadpool(_) | Runtime::RustyPool(_) => joinless(),
    }
}

/// Samples `program` on a thread outside the pool that enters it for each run.
pub(crate) fn outside<P: ForkJoinProgram>(
    runtime: &Runtime,
    program: &P,
    plan: &Sampling,
) -> Vec<f64> {
    match runtime {
        Runtime::Serial => plan.sample(program, |p, state| p.serial(state)),
        Runtime::Filch(pool) => plan.sample(program, |p, state| pool.scope(|_| p.filch(state))),
        Runtime::Rayon(pool) => plan.sample(program, |p, state| pool.install(|| p.rayon(state))),
        Runtime::Chili(pool) => plan.sample(program, |p, state| p.chili(&mut pool.scope(), state)),
        #[cfg(feature = "forte")]
        Runtime::Forte(pool) => plan.sample(program, |p, state| {
            pool.enter(|worker| p.forte(worker, state))
        }),
        Runtime::BevyTasks(_) | Runtime::Threadpool(_) | Runtime::RustyPool(_) => joinless(),
    }
}

fn joinless() -> ! {
    unreachable!("a runtime without join; RuntimeKind::can says so")
}
