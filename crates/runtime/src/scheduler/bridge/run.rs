use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::panic::resume_unwind;

use crate::scheduler::classes::Class;
use crate::scheduler::handle::JoinHandle;
use crate::scheduler::pool::Pool;

/// A job on its way, for an asynchronous task that awaits it; see [`Pool::run`].
#[must_use = "dropping it cancels the job, unless it has begun"]
pub struct Run<T> {
    job: JoinHandle<T>,
}

impl Pool {
    /// Sends a job to this pool and awaits its result: the way from asynchronous code to work that
    /// takes processor time. Inside, [`join`](crate::join), [`scope`](crate::scope) and rayon's
    /// iterators use this pool; the threads of the executor stay free.
    ///
    /// The job is sent at once, before the first poll. **Dropping the future cancels the job unless
    /// it has begun**: its closure is dropped and never runs. A job that has begun ends, and its
    /// result is dropped.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let pool = filch::Pool::new(2)?;
    /// let sum = pool.run(|| {
    ///     let numbers: Vec<u64> = (0..1_000).collect();
    ///     filch::reduce(&numbers, |a, b| a + b)
    /// });
    /// assert_eq!(sum.await, Some(499_500));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// The future panics with the payload of the job, if that panics; and if it is polled again
    /// after it was ready.
    pub fn run<F, T>(&self, job: F) -> Run<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Run::of(self.spawn(job))
    }

    /// [`run`](Self::run) in a class, as [`spawn_in`](Self::spawn_in).
    pub fn run_in<F, T>(&self, class: Class, job: F) -> Run<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Run::of(self.spawn_in(class, job))
    }
}

impl<T> Run<T> {
    pub(super) fn of(job: JoinHandle<T>) -> Self {
        Self { job }
    }
}

impl<T> Future for Run<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let result = Pin::new(&mut self.job).poll(context);
        result.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Drop for Run<T> {
    fn drop(&mut self) {
        self.job.task.cancel();
    }
}

impl<T> fmt::Debug for Run<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}
