use std::marker::PhantomData;
use std::ptr;

use crate::sleeper::Sleeper;
use crate::sync::Arc;

/// What was left for the thread that has the state.
pub(crate) enum Left<C> {
    /// It is to make this change.
    Change(C),
    /// It is to wake this thread when its turn is over.
    Waiter(Arc<Sleeper>),
}

/// What was left, in a list.
pub(crate) struct Note<C> {
    pub(crate) left: Left<C>,
    /// The address of the next one, or 0. In the list of the relay that is the one that was left
    /// before.
    ///
    /// A thread reads the address from the word some time before it succeeds in leaving its note.
    /// By then the address may belong to another note, which is in the word now and is right. But a
    /// pointer would still be one to the note that is gone. So there is an address, and provenance
    /// is exposed.
    pub(crate) next: usize,
}

/// Notes that were taken from the relay's word, the oldest first.
pub(crate) struct Notes<C> {
    oldest: usize,
    notes: PhantomData<Box<Note<C>>>,
}

impl<C> Notes<C> {
    /// Turns the list around that begins with the newest note.
    ///
    /// # Safety
    ///
    /// The list is the caller's own. Each of its notes came from `Box::into_raw` and has exposed
    /// its provenance, and the last one has no next.
    pub(crate) unsafe fn of(mut newest: usize) -> Self {
        let mut oldest = 0;
        // SAFETY: as the caller promises; 0 is null and no note.
        while let Some(note) = unsafe { Self::note(newest).as_mut() } {
            let earlier = note.next;
            note.next = oldest;
            oldest = newest;
            newest = earlier;
        }
        Self {
            oldest,
            notes: PhantomData,
        }
    }

    fn note(address: usize) -> *mut Note<C> {
        ptr::with_exposed_provenance_mut(address)
    }
}

impl<C> Iterator for Notes<C> {
    type Item = Left<C>;

    fn next(&mut self) -> Option<Left<C>> {
        if self.oldest == 0 {
            return None;
        }
        // SAFETY: by `of`, the list is ours and its notes are boxes.
        let note = unsafe { Box::from_raw(Self::note(self.oldest)) };
        self.oldest = note.next;
        Some(note.left)
    }
}

impl<C> Drop for Notes<C> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}
