use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::sync::oneshot;

/// Does things at given instants, to about a tenth of a millisecond.
///
/// tokio's timer counts milliseconds and rounds up, which is a tenth of a fast toy server's mean. This is a
/// thread that sleeps on a condition variable until the next instant is due, with the precision of the
/// kernel's timers. A clone is another handle to the same thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Alarm(Arc<Handle>);

#[derive(Debug)]
struct Handle(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    agenda: Mutex<Agenda>,
    earlier: Condvar,
}

#[derive(Debug, Default)]
struct Agenda {
    due: BinaryHeap<Entry>,
    /// Numbers the entries, so that what is due at one instant is done in the order of asking.
    asked: u64,
    closed: bool,
}

struct Entry {
    at: Instant,
    number: u64,
    call: Box<dyn FnOnce() + Send>,
}

impl Alarm {
    /// Starts the thread.
    ///
    /// # Panics
    ///
    /// If the system gives no thread.
    pub fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let watched = Arc::clone(&shared);
        thread::Builder::new()
            .name("alarm".into())
            .spawn(move || watched.watch())
            .expect("a thread for the alarm");
        Self(Arc::new(Handle(shared)))
    }

    /// Calls `call` at `at`, or as soon as possible if that is past. It runs on the alarm's thread and
    /// must be short.
    pub fn call_at(&self, at: Instant, call: impl FnOnce() + Send + 'static) {
        let shared = &self.0.0;
        let mut agenda = shared.agenda();
        let number = agenda.asked;
        agenda.asked += 1;
        let first = agenda.due.peek().is_none_or(|entry| at < entry.at);
        agenda.due.push(Entry {
            at,
            number,
            call: Box::new(call),
        });
        drop(agenda);
        if first {
            shared.earlier.notify_one();
        }
    }

    /// Waits until `at`.
    pub async fn wait_until(&self, at: Instant) {
        if at <= Instant::now() {
            return;
        }
        let (ring, rung) = oneshot::channel();
        self.call_at(at, || {
            // Nobody may be waiting any more.
            let _ = ring.send(());
        });
        // The alarm drops what is not yet due only when its last handle goes, and we hold one.
        let _ = rung.await;
    }
}

impl Shared {
    /// A call that panics does so outside the lock, so the agenda is whole even then.
    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        self.agenda.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut agenda = self.agenda();
        while !agenda.closed {
            let now = Instant::now();
            let wait = agenda.due.peek().map(|entry| entry.at);
            agenda = match wait {
                Some(at) if at <= now => {
                    let entry = agenda.due.pop();
                    drop(agenda);
                    if let Some(entry) = entry {
                        (entry.call)();
                    }
                    self.agenda()
                }
                Some(at) => {
                    let woken = self.earlier.wait_timeout(agenda, at - now);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.earlier.wait(agenda);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut agenda = self.0.agenda();
        agenda.closed = true;
        // What is not due yet is dropped, outside the lock: it may hold anything.
        let due = std::mem::take(&mut agenda.due);
        drop(agenda);
        drop(due);
        self.0.earlier.notify_one();
    }
}

/// The heap gives the greatest first: the earliest is the greatest.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// In order of their instants, never early, those of one instant in the order of asking.
    #[test]
    fn everything_is_done_in_order() {
        let alarm = Alarm::start();
        let (done, order) = mpsc::channel();
        let start = Instant::now();
        for (name, millis) in [(0, 30), (1, 10), (2, 20), (3, 10), (4, 0)] {
            let (done, at) = (done.clone(), start + Duration::from_millis(millis));
            alarm.call_at(at, move || {
                done.send((name, Instant::now() >= at)).unwrap();
            });
        }
        drop(done);
        let order: Vec<_> = order.iter().collect();
        assert!(order.iter().all(|done| done.1), "none early");
        let names: Vec<_> = order.iter().map(|done| done.0).collect();
        assert_eq!(names, [4, 1, 3, 2, 0]);
    }

    #[test]
    fn the_last_handle_ends_it() {
        let alarm = Alarm::start();
        let (done, order) = mpsc::channel::<()>();
        let later = Instant::now() + Duration::from_secs(3600);
        alarm.clone().call_at(later, move || drop(done));
        assert!(order.try_recv() == Err(mpsc::TryRecvError::Empty));
        drop(alarm);
        assert!(order.recv().is_err(), "what was not due was dropped");
    }
}
