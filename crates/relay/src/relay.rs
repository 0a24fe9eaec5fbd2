use std::cell::UnsafeCell;
use std::fmt;
use std::ptr;

use crate::ending::Ending;
use crate::notes::{Left, Note, Notes};
use crate::sleeper::Sleeper;
use crate::sync::{Arc, AtomicPtr, LOOKS, Ordering, spin_loop};
use crate::turn::Turn;

/// State that changes can be left for.
pub trait Apply {
    /// A change that needs no answer.
    type Change;
    /// What is to be done because of a change when no thread has the state any more.
    type Effect;

    /// Makes the change.
    ///
    /// It may run on a thread that has left another one, or that has only looked at the state. If
    /// it panics, that thread panics when all other changes are made and all effects are run.
    fn apply(&mut self, change: Self::Change) -> Option<Self::Effect>;

    /// Does what is to be done because of a change. It may use the relay. It runs on the thread
    /// that has made the change; a panic is treated like one of a change.
    fn run(effect: Self::Effect);
}

/// State that one thread at a time has, and what others have left for it meanwhile.
pub struct Relay<S: Apply> {
    /// [`free`], or [`taken`], or the newest of the notes that were left in the present turn. The
    /// last note of the list has no next.
    ///
    /// Every step of the protocol is a read-modify-write operation on this word, so all of them
    /// have one order. The end of a turn finds what was left before it, or the thread that leaves
    /// something finds the state free.
    word: AtomicPtr<Note<S::Change>>,
    state: UnsafeCell<S>,
}

// SAFETY: only a turn touches the state, and there is one turn at a time; so threads have the state
// one after the other, as with a mutex, for which `S: Send` is enough. Notes go from the thread
// that leaves them to the one that has the turn, and its effects stay there.
unsafe impl<S: Apply + Send> Sync for Relay<S> where S::Change: Send {}
// SAFETY: the notes that the word points to belong to the relay.
unsafe impl<S: Apply + Send> Send for Relay<S> where S::Change: Send {}

/// No thread has the state.
fn free<C>() -> *mut Note<C> {
    ptr::null_mut()
}

/// A thread has the state, and nothing was left for it. A note is aligned, so none is here.
fn taken<C>() -> *mut Note<C> {
    const { assert!(align_of::<Note<C>>() > 1) };
    ptr::without_provenance_mut(1)
}

impl<S: Apply> Relay<S> {
    /// The state is free.
    pub fn new(state: S) -> Self {
        Self {
            word: AtomicPtr::new(free()),
            state: UnsafeCell::new(state),
        }
    }

    /// The state, unless another thread has it.
    #[inline]
    pub fn try_turn(&self) -> Option<Turn<'_, S>> {
        // Ordering: Acquire pairs with the Release in `give_back_or_take`: this turn sees what the
        // turns before it did. On failure nothing is read.
        let ours =
            self.word
                .compare_exchange(free(), taken(), Ordering::Acquire, Ordering::Relaxed);
        // SAFETY: the state was free and is ours now.
        ours.is_ok().then(|| unsafe { Turn::new(self) })
    }

    /// The state, unless another thread has it for some microseconds.
    #[inline]
    pub fn turn_soon(&self) -> Option<Turn<'_, S>> {
        self.try_turn().or_else(|| self.look_often())
    }

    /// The state. While another thread has it, this one waits.
    ///
    /// A thread that has the state must not ask for it again: it would wait for itself.
    #[inline]
    pub fn turn(&self) -> Turn<'_, S> {
        self.turn_soon().unwrap_or_else(|| self.sleep_for_turn())
    }

    /// Makes the change if the state is free; otherwise the thread that has the state makes it
    /// before its turn ends. This waits for no thread. But a turn that began here also makes what
    /// others leave meanwhile, and lasts for as long as they leave changes faster than one thread
    /// makes them. It is for the user of a relay to bound what may be left.
    #[inline]
    pub fn leave(&self, change: S::Change) {
        match self.try_turn() {
            Some(turn) => turn.apply(change),
            None => self.leave_note(change),
        }
    }

    #[cold]
    fn look_often(&self) -> Option<Turn<'_, S>> {
        for look in 0..LOOKS {
            // Ever more seldom, so that the thread that has the state keeps the word in its cache.
            (0..1 << look.min(4)).for_each(|_| spin_loop());
            // Ordering: only a hint whether to try.
            if self.word.load(Ordering::Relaxed) == free()
                && let Some(turn) = self.try_turn()
            {
                return Some(turn);
            }
        }
        None
    }

    #[cold]
    fn sleep_for_turn(&self) -> Turn<'_, S> {
        loop {
            let sleeper = Arc::new(Sleeper::of_this_thread());
            match self.enter_or_leave(Left::Waiter(sleeper.clone())) {
                Entered::Turn(turn, _) => return turn,
                Entered::Left => sleeper.sleep(),
            }
        }
    }

    #[cold]
    fn leave_note(&self, change: S::Change) {
        if let Entered::Turn(turn, Left::Change(change)) = self.enter_or_leave(Left::Change(change))
        {
            turn.apply(change);
        }
    }

    /// Takes the state if it is free, and otherwise leaves this for the thread that has it.
    fn enter_or_leave(&self, left: Left<S::Change>) -> Entered<'_, S> {
        let note = Box::into_raw(Box::new(Note { left, next: 0 }));
        note.expose_provenance();
        // Ordering: only what the exchanges below compare with; a note is not read through it.
        let mut found = self.word.load(Ordering::Relaxed);
        loop {
            if found == free() {
                if let Some(turn) = self.try_turn() {
                    // SAFETY: the note was made above and was not left.
                    let note = unsafe { Box::from_raw(note) };
                    return Entered::Turn(turn, note.left);
                }
                // Ordering: as above.
                found = self.word.load(Ordering::Relaxed);
                continue;
            }
            let next = if found == taken() { 0 } else { found.addr() };
            // SAFETY: the note is still ours alone.
            unsafe { (*note).next = next };
            // Ordering: Release pairs with the Acquire in `take_notes`, which then sees the note.
            // It sees the notes before it too: an exchange continues the release sequences of the
            // exchanges that it follows. Relaxed on failure: as above.
            let left =
                self.word
                    .compare_exchange(found, note, Ordering::Release, Ordering::Relaxed);
            match left {
                Ok(_) => return Entered::Left,
                Err(now) => found = now,
            }
        }
    }

    /// Ends a turn.
    ///
    /// # Safety
    ///
    /// The turn is the caller's, and nothing borrows the state.
    #[inline]
    pub(crate) unsafe fn end_turn(&self) {
        // SAFETY: as the caller promises.
        if let Some(notes) = unsafe { self.give_back_or_take() } {
            self.end_with(notes);
        }
    }

    #[cold]
    fn end_with(&self, notes: Notes<S::Change>) {
        // SAFETY: notes are handed out to the thread that has the state.
        unsafe { Ending::new(self).reach(notes) };
    }

    /// Gives the state back, or takes what was left meanwhile and keeps the state.
    ///
    /// # Safety
    ///
    /// The caller has the state, and nothing borrows it. If nothing is handed out, the caller has
    /// it no more.
    #[inline]
    pub(crate) unsafe fn give_back_or_take(&self) -> Option<Notes<S::Change>> {
        // Ordering: Release pairs with the Acquire in `try_turn`. On failure nothing is read.
        let given =
            self.word
                .compare_exchange(taken(), free(), Ordering::Release, Ordering::Relaxed);
        given.is_err().then(|| self.take_notes())
    }

    #[cold]
    fn take_notes(&self) -> Notes<S::Change> {
        // Ordering: Acquire pairs with the Release in `enter_or_leave`.
        let newest = self.word.swap(taken(), Ordering::Acquire);
        // SAFETY: only this turn takes notes, so the list that was in the word is ours now. The
        // word held notes, since it was neither free nor taken.
        unsafe { Notes::of(newest.addr()) }
    }

    /// The state, for the turn that has it.
    #[inline]
    pub(crate) fn state(&self) -> *mut S {
        self.state.get()
    }
}

/// A turn that was forgotten leaves notes.
impl<S: Apply> Drop for Relay<S> {
    fn drop(&mut self) {
        // Ordering: nobody else has the relay.
        let newest = self.word.load(Ordering::Relaxed);
        if newest != free() && newest != taken() {
            // SAFETY: no turn is there any more, so the list is ours.
            drop(unsafe { Notes::<S::Change>::of(newest.addr()) });
        }
    }
}

enum Entered<'a, S: Apply> {
    /// The state was free, and this was not left.
    Turn(Turn<'a, S>, Left<S::Change>),
    Left,
}

impl<S: Apply> fmt::Debug for Relay<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").finish_non_exhaustive()
    }
}
