use core::pin::Pin;
use core::task::{Context, Poll};

use crate::scheduler::handle::JoinHandle;

/// The result of the job, or the payload of its panic, as [`join`](JoinHandle::join) returns it.
/// Dropping the handle does not cancel the job; see [`Pool::run`](crate::Pool::run) for one that
/// does. Only the task that polled last is woken.
///
/// # Panics
///
/// If it is polled again after it was ready.
impl<T> Future for JoinHandle<T> {
    type Output = std::thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.pool.assert_same_process();
        self.task.poll(context.waker())
    }
}
