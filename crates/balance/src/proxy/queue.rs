//! The waiting room of a group: first come, first served, bounded in length and in time.
//!
//! A request waits when every server that is up has as many requests as it may have, or when no server is
//! up at all. Whoever gives a server back calls [`Queue::wake`]; that calls the first in line and nobody
//! else, and who leaves the line, for whatever reason, calls the next. So nobody is overtaken, and
//! nobody sleeps while a server is free.
//!
//! One exception: a request that has tried the only free server waits for another one, and it would be folly if
//! all who came later waited with it. It is *barred*, and those behind it may go first as long as it is.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// What an attempt to be served came to.
#[derive(Debug)]
pub(crate) enum Attempt<T> {
    /// This.
    Done(T),
    /// Nobody could be served now.
    Full,
    /// Others could be, but not this request.
    Barred,
}

/// Why nobody could be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// The line was full.
    Away,
    /// The time was up.
    TimedOut,
    /// The group has another queue now: ask there.
    Moved,
}

/// The line.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<Waiter>,
    /// How many of them are barred.
    barred: usize,
    next: u64,
    /// There is another queue in place of this one.
    moved: bool,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    barred: bool,
    called: Arc<Notify>,
}

/// A place in the line; leaving it is dropping this.
struct Place<'a> {
    queue: &'a Queue,
    number: u64,
    called: Arc<Notify>,
}

impl Line {
    /// Calls the first who is not barred.
    fn call(&self) {
        if let Some(waiter) = self.waiting.iter().find(|waiter| !waiter.barred) {
            waiter.called.notify_one();
        }
    }

    /// Where the one with this number stands.
    fn place(&self, number: u64) -> Option<usize> {
        let found = self
            .waiting
            .binary_search_by_key(&number, |waiter| waiter.number);
        found.ok()
    }

    fn is_barred_before(&self, number: u64) -> bool {
        let mut before = self.waiting.iter().take_while(|it| it.number < number);
        before.all(|waiter| waiter.barred)
    }
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
        let mut line = self.line();
        // It may be the one that somebody who is barred has waited for. Numbers are in order, and those who are barred
        // come before all whom they let pass.
        if line.barred > 0 {
            line.barred = 0;
            for waiter in &mut line.waiting {
                waiter.barred = false;
            }
        }
        line.call();
    }

    /// Sends everybody away who waits or will come: there is another queue.
    pub(crate) fn close(&self) {
        let mut line = self.line();
        line.moved = true;
        for waiter in &line.waiting {
            waiter.called.notify_one();
        }
    }

    /// Does what `attempt` does, at once if nobody waits and it succeeds, and otherwise when it is one's
    /// turn.
    pub(crate) async fn turn<T>(
        &self,
        length: usize,
        until: Instant,
        mut attempt: impl FnMut() -> Attempt<T>,
    ) -> Result<T, Turned> {
        let is_empty = {
            let line = self.line();
            line.waiting.is_empty() && !line.moved
        };
        if is_empty && let Attempt::Done(done) = attempt() {
            return Ok(done);
        }
        let place = self.join(length).ok_or(Turned::Away)?;
        loop {
            if self.line().moved {
                return Err(Turned::Moved);
            }
            // A server may have become free before one stood in line, when there was nobody to call.
            if place.is_next() {
                match attempt() {
                    Attempt::Done(done) => return Ok(done),
                    Attempt::Full => {}
                    Attempt::Barred => place.bar(),
                }
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
        line.waiting.push_back(Waiter {
            number,
            barred: false,
            called: Arc::clone(&called),
        });
        Some(Place {
            queue: self,
            number,
            called,
        })
    }
}

impl Place<'_> {
    /// Whether everybody before is barred, if there is anybody.
    fn is_next(&self) -> bool {
        self.queue.line().is_barred_before(self.number)
    }

    /// Lets others pass until the next server is free.
    fn bar(&self) {
        let mut line = self.queue.line();
        if let Some(at) = line.place(self.number)
            && !line.waiting[at].barred
        {
            line.waiting[at].barred = true;
            line.barred += 1;
        }
        line.call();
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        let was_next = line.is_barred_before(self.number);
        if let Some(at) = line.place(self.number) {
            let gone = line.waiting.remove(at);
            line.barred -= usize::from(gone.is_some_and(|gone| gone.barred));
        }
        // There may be a second free server, or this place was called and is given up.
        if was_next {
            line.call();
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
    fn take(free: &AtomicUsize) -> Attempt<()> {
        let taken = free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |free| {
            free.checked_sub(1)
        });
        taken.map_or(Attempt::Full, |_| Attempt::Done(()))
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
                let served = queue.turn(10, soon(), || take(&free)).await;
                order.lock().unwrap().push(number);
                served
            }));
            while inner.len() <= number {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(
            queue.turn(10, soon(), || Attempt::<()>::Full).await,
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

    /// The first can only use a server that is not free; the second takes the one that is.
    #[tokio::test]
    async fn who_is_barred_holds_up_nobody() {
        let queue = Arc::new(Queue::default());
        let free = Arc::new(AtomicUsize::new(0));
        let wanted = Arc::new(AtomicUsize::new(0));
        let (line, only) = (queue.clone(), wanted.clone());
        let first = tokio::spawn(async move {
            let attempt = || match take(&only) {
                Attempt::Full => Attempt::Barred,
                done => done,
            };
            line.turn(10, soon(), attempt).await
        });
        while queue.len() < 1 {
            tokio::task::yield_now().await;
        }
        // One that comes while a server is free, and one that is already there when one becomes free.
        free.fetch_add(1, Ordering::SeqCst);
        assert_eq!(queue.turn(10, soon(), || take(&free)).await, Ok(()));
        let (line, any) = (queue.clone(), free.clone());
        let second = tokio::spawn(async move { line.turn(10, soon(), || take(&any)).await });
        while queue.len() < 2 {
            tokio::task::yield_now().await;
        }
        free.fetch_add(1, Ordering::SeqCst);
        queue.wake();
        assert_eq!(second.await.unwrap(), Ok(()));
        wanted.fetch_add(1, Ordering::SeqCst);
        queue.wake();
        assert_eq!(first.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let queue = Queue::default();
        let until = Instant::now() + Duration::from_millis(10);
        let turned = queue.turn(1, until, || Attempt::<()>::Full).await;
        assert_eq!(turned, Err(Turned::TimedOut));
        assert_eq!(queue.len(), 0);
    }
}
