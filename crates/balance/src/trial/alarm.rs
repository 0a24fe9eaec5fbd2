use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Instant;

use tokio::sync::oneshot;

use super::agenda::Agenda;
use crate::poison::unpoisoned;

/// Makes calls at given instants, to about a tenth of a millisecond.
///
/// tokio's timer counts milliseconds and rounds up, and a millisecond is a tenth of a fast toy
/// server's mean. This is a thread that sleeps on a condition variable until the next call is due,
/// with the precision of the kernel's timers. A clone is another handle to the same thread, which
/// ends with the last handle.
#[derive(Clone, Debug)]
pub struct Alarm(Arc<Handle>);

#[derive(Debug)]
struct Handle(Arc<Timer>);

/// What the handles and the thread share.
#[derive(Debug, Default)]
struct Timer {
    schedule: Mutex<Schedule>,
    /// Notified when a call comes first, and at the end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Schedule {
    agenda: Agenda,
    closed: bool,
}

impl Alarm {
    /// Starts the thread.
    ///
    /// # Panics
    ///
    /// If the system gives no thread.
    pub fn start() -> Self {
        let timer = Arc::new(Timer::default());
        let watched = Arc::clone(&timer);
        thread::Builder::new()
            .name("alarm".into())
            .spawn(move || watched.watch())
            .expect("a thread for the alarm");
        Self(Arc::new(Handle(timer)))
    }

    /// Calls `call` at `at`, or as soon as possible if that is past. It runs on the alarm's thread
    /// and must be short.
    pub fn call_at(&self, at: Instant, call: impl FnOnce() + Send + 'static) {
        let timer = &self.0.0;
        let is_first = timer.schedule().agenda.add(at, Box::new(call));
        if is_first {
            timer.changed.notify_one();
        }
    }

    /// Waits until `at`.
    pub async fn wait_until(&self, at: Instant) {
        if at <= Instant::now() {
            return;
        }
        let (ring, rung) = oneshot::channel();
        self.call_at(at, || {
            // The future may have been dropped meanwhile.
            let _ = ring.send(());
        });
        // The alarm drops calls that are not due only with its last handle, and `self` is one.
        let _ = rung.await;
    }
}

impl Timer {
    /// Calls run outside the lock, so one that panics leaves the schedule whole.
    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        unpoisoned(self.schedule.lock())
    }

    fn watch(&self) {
        let mut schedule = self.schedule();
        while !schedule.closed {
            let now = Instant::now();
            schedule = match schedule.agenda.next() {
                Some(at) if at <= now => {
                    let due = schedule.agenda.pop();
                    drop(schedule);
                    if let Some(due) = due {
                        (due.call)();
                    }
                    self.schedule()
                }
                Some(at) => unpoisoned(self.changed.wait_timeout(schedule, at - now)).0,
                None => unpoisoned(self.changed.wait(schedule)),
            };
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut schedule = self.0.schedule();
        schedule.closed = true;
        // Calls that are not due are dropped outside the lock: they may hold anything.
        let agenda = std::mem::take(&mut schedule.agenda);
        drop(schedule);
        drop(agenda);
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// In the order of their instants, never early; calls of one instant in the order of asking.
    #[test]
    fn calls_are_made_in_order() {
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
        assert!(order.recv().is_err(), "a call that was not due was dropped");
    }
}
