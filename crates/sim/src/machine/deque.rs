//! The ready deque of a simulated processor.

use filch_workload::dag::ThreadId;

/// Threads that others may take. The owner works at the bottom, thieves take the top.
///
/// A vector whose beginning moves: pushing and popping at the bottom, which happens in nearly every
/// step, costs no more than on a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deque {
    /// From top to bottom; what is before `top` has been taken.
    items: Vec<ThreadId>,
    top: usize,
}

impl Deque {
    /// Nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.top == self.items.len()
    }

    /// How many threads are in it.
    pub fn len(&self) -> usize {
        self.items.len() - self.top
    }

    /// The thread at the top, which a thief would take.
    pub fn top(&self) -> Option<ThreadId> {
        self.items.get(self.top).copied()
    }

    /// The threads from bottom to top, as the papers number them.
    pub fn from_bottom(&self) -> impl ExactSizeIterator<Item = ThreadId> {
        self.items[self.top..].iter().rev().copied()
    }

    /// The owner puts a thread at the bottom.
    #[inline]
    pub(super) fn push_bottom(&mut self, thread: ThreadId) {
        self.items.push(thread);
    }

    /// The owner takes the thread at the bottom.
    #[inline]
    pub(super) fn pop_bottom(&mut self) -> Option<ThreadId> {
        if self.is_empty() {
            return None;
        }
        let thread = self.items.pop();
        if self.top == self.items.len() {
            self.items.clear();
            self.top = 0;
        }
        thread
    }

    /// A thief takes the thread at the top.
    pub(super) fn pop_top(&mut self) -> Option<ThreadId> {
        let thread = self.top()?;
        self.top += 1;
        // Taken room is given back before it is more than what is left, so that a deque never takes
        // more than twice its most.
        if 2 * self.top > self.items.len() {
            self.items.drain(..self.top);
            self.top = 0;
        }
        Some(thread)
    }
}

/// From top to bottom.
impl FromIterator<ThreadId> for Deque {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> Self {
        Self {
            items: threads.into_iter().collect(),
            top: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// The same as the standard deque, whatever is done to it.
        #[test]
        fn behaves_like_a_deque(acts in prop::collection::vec(0u8..3, 0..200)) {
            let (mut deque, mut model) = (Deque::new(), VecDeque::new());
            let mut most = 0;
            for (number, act) in acts.into_iter().enumerate() {
                match act {
                    0 => {
                        deque.push_bottom(ThreadId::new(number));
                        model.push_back(ThreadId::new(number));
                    }
                    1 => prop_assert_eq!(deque.pop_bottom(), model.pop_back()),
                    _ => prop_assert_eq!(deque.pop_top(), model.pop_front()),
                }
                prop_assert_eq!(deque.len(), model.len());
                prop_assert_eq!(deque.is_empty(), model.is_empty());
                prop_assert_eq!(deque.top(), model.front().copied());
                prop_assert!(deque.from_bottom().eq(model.iter().rev().copied()));
                most = most.max(model.len());
                prop_assert!(deque.items.len() <= 2 * most, "no more than twice the room");
            }
        }
    }
}
