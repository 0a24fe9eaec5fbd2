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
    /// The next one. In the relay's word that is the one that was left before; see [`Notes::of`].
    pub(crate) next: *mut Note<C>,
}

/// Notes that were taken from the relay's word, the oldest first.
pub(crate) struct Notes<C>(*mut Note<C>);

impl<C> Notes<C> {
    /// Turns the list around that begins with the newest note.
    ///
    /// # Safety
    ///
    /// The list is the caller's own. Each of its notes came from `Box::into_raw`, and the last one
    /// has null for the next.
    pub(crate) unsafe fn of(mut newest: *mut Note<C>) -> Self {
        let mut oldest_first = ptr::null_mut();
        // SAFETY: as the caller promises; null is no note.
        while let Some(note) = unsafe { newest.as_mut() } {
            let earlier = note.next;
            note.next = oldest_first;
            oldest_first = newest;
            newest = earlier;
        }
        Self(oldest_first)
    }
}

impl<C> Iterator for Notes<C> {
    type Item = Left<C>;

    fn next(&mut self) -> Option<Left<C>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: by `of`, the list is ours and its notes are boxes.
        let note = unsafe { Box::from_raw(self.0) };
        self.0 = note.next;
        Some(note.left)
    }
}
