use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::ending::Panics;
use crate::relay::{Apply, Relay};

/// A thread's turn with the state.
///
/// It ends when it is dropped. Before that, the changes that others have left meanwhile are made;
/// after that, their effects are run on this thread. A turn that is forgotten never ends: what
/// is left for it is dropped with the relay.
#[must_use = "the state is given back at once if the turn is not kept"]
pub struct Turn<'a, S: Apply> {
    relay: &'a Relay<S>,
    /// A turn stays on its thread, so that a relay needs no more than `S: Send`.
    on_this_thread: PhantomData<*mut ()>,
}

impl<'a, S: Apply> Turn<'a, S> {
    /// # Safety
    ///
    /// The caller has taken the state and gives it to this turn.
    #[inline]
    pub(crate) unsafe fn new(relay: &'a Relay<S>) -> Self {
        Self {
            relay,
            on_this_thread: PhantomData,
        }
    }

    /// Makes a change, ends the turn, and runs the effect of the change.
    #[inline]
    pub fn apply(mut self, change: S::Change) {
        match S::apply(&mut self, change) {
            None => drop(self),
            Some(effect) => self.end_before(effect),
        }
    }

    /// Ends the turn and runs an effect, whatever panics.
    #[inline(never)]
    fn end_before(self, effect: S::Effect) {
        let mut panics = Panics::default();
        panics.catch(|| drop(self));
        panics.catch(|| S::run(effect));
        panics.go_on();
    }
}

impl<S: Apply> Deref for Turn<'_, S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        // SAFETY: the state is this turn's alone, and the borrow is one of the turn.
        unsafe { &*self.relay.state() }
    }
}

impl<S: Apply> DerefMut for Turn<'_, S> {
    #[inline]
    fn deref_mut(&mut self) -> &mut S {
        // SAFETY: the state is this turn's alone, and the turn is borrowed alone.
        unsafe { &mut *self.relay.state() }
    }
}

impl<S: Apply> Drop for Turn<'_, S> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the turn is dropped once, and the state is not used through it any more.
        unsafe { self.relay.end_turn() };
    }
}

impl<S: Apply + fmt::Debug> fmt::Debug for Turn<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
