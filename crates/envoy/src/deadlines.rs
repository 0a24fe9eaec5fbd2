//! One thread that calls back when time is up.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::Instant;

use crate::abi::guard::guarded;
use crate::abi::log;
use crate::poison::unpoisoned;

type Callback = Box<dyn FnOnce() + Send>;

/// What is to be called, by time. A number keeps callbacks of the same instant apart.
#[derive(Default)]
struct Agenda {
    callbacks: BTreeMap<(Instant, u64), Callback>,
    numbers: u64,
}

struct Deadlines {
    agenda: Mutex<Agenda>,
    changed: Condvar,
}

static DEADLINES: OnceLock<Deadlines> = OnceLock::new();

/// Names a callback, so that it can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appointment(Instant, u64);

/// Calls `callback` on another thread when `at` has come.
pub(crate) fn at(at: Instant, callback: impl FnOnce() + Send + 'static) -> Appointment {
    let deadlines = DEADLINES.get_or_init(start);
    let mut agenda = deadlines.agenda();
    agenda.numbers += 1;
    let key = (at, agenda.numbers);
    let is_first = agenda
        .callbacks
        .keys()
        .next()
        .is_none_or(|first| key < *first);
    agenda.callbacks.insert(key, Box::new(callback));
    drop(agenda);
    if is_first {
        deadlines.changed.notify_one();
    }
    Appointment(key.0, key.1)
}

/// Takes a callback back, if it has not been called.
pub(crate) fn cancel(Appointment(at, number): Appointment) {
    if let Some(deadlines) = DEADLINES.get() {
        let callback = deadlines.agenda().callbacks.remove(&(at, number));
        drop(callback); // after the lock is released
    }
}

fn start() -> Deadlines {
    let thread = thread::Builder::new().name("filch-deadlines".to_owned());
    let run = || loop {
        guarded("a deadline", (), || DEADLINES.wait().run());
    };
    if let Err(error) = thread.spawn(run) {
        log::error(&format!("requests wait without a time-out: {error}"));
    }
    Deadlines {
        agenda: Mutex::default(),
        changed: Condvar::new(),
    }
}

impl Deadlines {
    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        unpoisoned(self.agenda.lock())
    }

    fn run(&self) {
        let mut agenda = self.agenda();
        loop {
            let now = Instant::now();
            agenda = match agenda.callbacks.first_entry() {
                Some(first) if first.key().0 <= now => {
                    let callback = first.remove();
                    drop(agenda);
                    callback();
                    self.agenda()
                }
                Some(first) => {
                    let left = first.key().0 - now;
                    let waited = self.changed.wait_timeout(agenda, left);
                    unpoisoned(waited).0
                }
                None => {
                    let waited = self.changed.wait(agenda);
                    unpoisoned(waited)
                }
            };
        }
    }
}
