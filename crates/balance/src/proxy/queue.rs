//! The waiting room of a group: first come, first served, bounded in length and in time.
//!
//! A request waits when every server that is up has as many requests as it may have, or when no server is
//! up at all. Whoever gives a server back calls [`Queue::wake`]; that wakes the first in line and nobody
//! else, and who leaves the line, for whatever reason, wakes the next. So nobody is overtaken, and
//! nobody sleeps while a server is free.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// Why nobody could be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// The line was full.
    Away,
    /// The time was up.
    TimedOut,
}

/// The line.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<(u64, Arc<Notify>)>,
    next: u64,
}

/// A place in the line; leaving it is dropping this.
struct Place<'a> {
    queue: &'a Queue,
    number: u64,
    called: Arc<Notify>,
}

impl Queue {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.line().waiting.len()
    }

    /// A server may be free: calls the first in line.
    pub(crate) fn wake(&self) {
        if let Some((_, called)) = self.line().waiting.front() {
            called.notify_one();
        }
    }

    /// Does what `attempt` does, at once if nobody waits and it succeeds, and otherwise when it is one's
    /// turn. `attempt` gives `None` as long as one has to wait.
    pub(crate) async fn turn<T>(
        &self,
        length: usize,
        until: Instant,
        mut attempt: impl FnMut() -> Option<T>,
    ) -> Result<T, Turned> {
        if self.line().waiting.is_empty()
            && let Some(done) = attempt()
        {
            return Ok(done);
        }
        let place = self.join(length).ok_or(Turned::Away)?;
        loop {
            // A server may have become free before one stood in line, when there was nobody to call.
            if place.is_first()
                && let Some(done) = attempt()
            {
                return Ok(done);
            }
            let called = place.called.notified();
            if tokio::time::timeout_at(until.into(), called).await.is_err() {
                return Err(Turned::TimedOut);
            }
        }
    }

    /// The last place in the line, unless so many wait already.
    fn join(&self, length: usize) -> Option<Place<'_>> {
        let mut line = self.line();
        if line.waiting.len() >= length {
            return None;
        }
        let number = line.next;
        let called = Arc::new(Notify::new());
        line.next += 1;
        line.waiting.push_back((number, Arc::clone(&called)));
        Some(Place {
            queue: self,
            number,
            called,
        })
    }
}

impl Place<'_> {
    fn is_first(&self) -> bool {
        let line = self.queue.line();
        line.waiting
            .front()
            .is_some_and(|(number, _)| *number == self.number)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        let was_first = line
            .waiting
            .front()
            .is_some_and(|(number, _)| *number == self.number);
        line.waiting.retain(|(number, _)| *number != self.number);
        // There may be a second free server, or this place was called and is given up.
        if was_first && let Some((_, called)) = line.waiting.front() {
            called.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// So many servers, of which one is taken by each successful attempt.
    fn take(free: &AtomicUsize) -> Option<()> {
        free.try_update(Ordering::SeqCst, Ordering::SeqCst, |free| {
            free.checked_sub(1)
        })
        .ok()
        .map(drop)
    }

    #[tokio::test]
    async fn first_come_first_served() {
        let queue = Arc::new(Queue::default());
        let free = Arc::new(AtomicUsize::new(0));
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for number in 0..10 {
            let (queue, free, order) = (queue.clone(), free.clone(), order.clone());
            let inner = queue.clone();
            waiting.push(tokio::spawn(async move {
                let served = queue.turn(10, soon(), || {
                    take(&free).inspect(|()| order.lock().unwrap().push(number))
                });
                served.await
            }));
            while inner.len() <= number {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(
            queue.turn(10, soon(), || None::<()>).await,
            Err(Turned::Away)
        );
        for _ in 0..10 {
            free.fetch_add(1, Ordering::SeqCst);
            queue.wake();
        }
        for one in waiting {
            assert_eq!(one.await.unwrap(), Ok(()));
        }
        assert_eq!(*order.lock().unwrap(), (0..10).collect::<Vec<_>>());
        assert_eq!(queue.len(), 0);
    }

    #[tokio::test]
    async fn who_leaves_wakes_the_next() {
        let queue = Arc::new(Queue::default());
        let free = Arc::new(AtomicUsize::new(0));
        let join = || {
            let (queue, free) = (queue.clone(), free.clone());
            tokio::spawn(async move { queue.turn(10, soon(), || take(&free)).await })
        };
        let wait_for = async |number: usize| {
            while queue.len() < number {
                tokio::task::yield_now().await;
            }
        };
        let first = join();
        wait_for(1).await;
        let second = join();
        wait_for(2).await;
        // The first is called, and gives up before it looks.
        free.fetch_add(1, Ordering::SeqCst);
        queue.wake();
        first.abort();
        assert_eq!(second.await.unwrap(), Ok(()));
        let _ = first.await;
        assert_eq!(queue.len(), 0);
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let queue = Queue::default();
        let until = Instant::now() + Duration::from_millis(10);
        let turned = queue.turn(1, until, || None::<()>).await;
        assert_eq!(turned, Err(Turned::TimedOut));
        assert_eq!(queue.len(), 0);
    }
}
