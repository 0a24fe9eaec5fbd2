use std::collections::VecDeque;

use crate::notes::{Left, Notes};
use crate::relay::{Apply, Relay};
use crate::sleeper::Sleeper;
use crate::sync::Arc;

/// The end of a turn during which something was left.
///
/// It is reached exactly once, also if a change or an effect panics on the way: then the rest is
/// done while the panic unwinds.
pub(crate) struct Ending<'a, S: Apply> {
    relay: &'a Relay<S>,
    notes: Notes<S::Change>,
    waiters: Vec<Arc<Sleeper>>,
    effects: VecDeque<S::Effect>,
    has_state: bool,
}

impl<'a, S: Apply> Ending<'a, S> {
    /// # Safety
    ///
    /// The caller has the state and gives it to this ending, with what was left.
    pub(crate) unsafe fn new(relay: &'a Relay<S>, notes: Notes<S::Change>) -> Self {
        Self {
            relay,
            notes,
            waiters: Vec::new(),
            effects: VecDeque::new(),
            has_state: true,
        }
    }

    /// Makes the changes, gives the state back, and does what follows.
    ///
    /// Threads may leave changes faster than they are made here, but not for long: each has only so
    /// many to leave before it needs an answer itself.
    fn reach(&mut self) {
        if self.has_state {
            self.make_changes();
            // SAFETY: the state is ours until nothing is handed out.
            while let Some(notes) = unsafe { self.relay.give_back_or_take() } {
                self.notes = notes;
                self.make_changes();
            }
            self.has_state = false;
        }
        while let Some(sleeper) = self.waiters.pop() {
            sleeper.wake();
        }
        while let Some(effect) = self.effects.pop_front() {
            S::run(effect);
        }
    }

    fn make_changes(&mut self) {
        for left in self.notes.by_ref() {
            match left {
                Left::Change(change) => {
                    // SAFETY: the state is ours, and nothing else borrows it.
                    let state = unsafe { &mut *self.relay.state() };
                    self.effects.extend(state.apply(change));
                }
                Left::Waiter(sleeper) => self.waiters.push(sleeper),
            }
        }
    }
}

impl<S: Apply> Drop for Ending<'_, S> {
    fn drop(&mut self) {
        let rest = Rest(self);
        rest.0.reach();
    }
}

/// Goes on after a panic; if there was none, nothing is left to be done.
struct Rest<'r, 'a, S: Apply>(&'r mut Ending<'a, S>);

impl<S: Apply> Drop for Rest<'_, '_, S> {
    fn drop(&mut self) {
        self.0.reach();
    }
}
