use std::any::Any;
use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use crate::notes::{Left, Notes};
use crate::relay::{Apply, Relay};
use crate::sleeper::Sleeper;
use crate::sync::Arc;

/// The end of a turn during which something was left.
///
/// It is reached whatever panics on the way: the first panic goes on when all is done.
pub(crate) struct Ending<'a, S: Apply> {
    relay: &'a Relay<S>,
    waiters: Vec<Arc<Sleeper>>,
    effects: VecDeque<S::Effect>,
    panics: Panics,
}

impl<'a, S: Apply> Ending<'a, S> {
    pub(crate) fn new(relay: &'a Relay<S>) -> Self {
        Self {
            relay,
            waiters: Vec::new(),
            effects: VecDeque::new(),
            panics: Panics::default(),
        }
    }

    /// Makes the changes, gives the state back, and does what follows.
    ///
    /// # Safety
    ///
    /// The caller has the state, nothing borrows it, and this is what was left.
    pub(crate) unsafe fn reach(mut self, notes: Notes<S::Change>) {
        // SAFETY: as the caller promises.
        unsafe { self.make_changes(notes) };
        // SAFETY: the state is ours until nothing is handed out.
        while let Some(notes) = unsafe { self.relay.give_back_or_take() } {
            // SAFETY: the state is still ours, and these notes are new.
            unsafe { self.make_changes(notes) };
        }
        for sleeper in self.waiters {
            sleeper.wake();
        }
        for effect in self.effects {
            self.panics.catch(|| S::run(effect));
        }
        self.panics.go_on();
    }

    /// # Safety
    ///
    /// The caller has the state, and nothing borrows it.
    unsafe fn make_changes(&mut self, notes: Notes<S::Change>) {
        for left in notes {
            match left {
                Left::Change(change) => {
                    // SAFETY: as the caller promises.
                    let state = unsafe { &mut *self.relay.state() };
                    let effect = self.panics.catch(|| state.apply(change));
                    self.effects.extend(effect.flatten());
                }
                Left::Waiter(sleeper) => self.waiters.push(sleeper),
            }
        }
    }
}

/// The first panic of several.
#[derive(Default)]
pub(crate) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    /// Does something that may panic. The caller sees to it that the rest can still be done.
    pub(crate) fn catch<R>(&mut self, work: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Some(result),
            Err(payload) if self.0.is_none() => {
                self.0 = Some(payload);
                None
            }
            Err(payload) => {
                mem::forget(payload); // to drop it may panic
                None
            }
        }
    }

    /// Lets the panic go on, unless the thread unwinds for another one.
    pub(crate) fn go_on(self) {
        match self.0 {
            Some(payload) if thread::panicking() => mem::forget(payload),
            Some(payload) => resume_unwind(payload),
            None => {}
        }
    }
}
