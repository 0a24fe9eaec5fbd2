use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A pause of the whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The last instant at which the machine was known to run.
    pub from: Instant,
    /// The first afterwards.
    pub to: Instant,
}

/// Watches for pauses of the machine. A virtual machine stands still now and then for longer than a
/// request takes, and that is not the balancer's fault.
///
/// A thread sleeps for a few milliseconds again and again. If it wakes much later than asked, all
/// other threads stood still as well.
#[derive(Debug)]
pub struct Stalls {
    stop: mpsc::Sender<()>,
    watching: JoinHandle<Vec<Stall>>,
}

/// How long the thread sleeps.
const TICK: Duration = Duration::from_millis(5);

impl Stalls {
    /// A sleep that lasts this much longer than asked is a stall.
    pub const LEAST: Duration = Duration::from_millis(50);

    /// Starts to watch.
    ///
    /// # Panics
    ///
    /// If the system gives no thread.
    pub fn watch() -> Self {
        let (stop, stopped) = mpsc::channel();
        let watching = thread::Builder::new()
            .name("stalls".into())
            .spawn(move || {
                let mut stalls = Vec::new();
                let mut from = Instant::now();
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    let to = Instant::now();
                    stalls.extend(between(from, to));
                    from = to;
                }
                stalls
            })
            .expect("a thread to watch for stalls");
        Self { stop, watching }
    }

    /// Stops, and returns the stalls.
    pub fn finish(self) -> Vec<Stall> {
        drop(self.stop);
        self.watching.join().unwrap_or_default()
    }
}

/// The stall between two ticks, if there was one.
fn between(from: Instant, to: Instant) -> Option<Stall> {
    (to - from >= TICK + Stalls::LEAST).then_some(Stall { from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_waits_are_stalls() {
        let from = Instant::now();
        assert_eq!(between(from, from + TICK), None);
        assert_eq!(between(from, from + Duration::from_millis(54)), None);
        let to = from + Duration::from_millis(200);
        assert_eq!(between(from, to), Some(Stall { from, to }));
    }

    #[test]
    fn watching_ends() {
        let stalls = Stalls::watch();
        thread::sleep(3 * TICK);
        // There may be any number of stalls, but none overlaps another.
        assert!(stalls.finish().is_sorted_by(|a, b| a.to <= b.from));
    }
}
