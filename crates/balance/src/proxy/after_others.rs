use std::future::poll_fn;
use std::task::Poll;

/// Lets the other tasks that are ready run first.
///
/// A worker that has read a request and sends it on at once wakes the server's process, which falls
/// asleep again before the next request is sent. If the worker first reads the requests of all
/// connections that are ready, the server is awake for most of them, and waking is a good part of
/// what sending costs the kernel.
pub(crate) async fn after_others() {
    let mut has_waited = false;
    poll_fn(|cx| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
