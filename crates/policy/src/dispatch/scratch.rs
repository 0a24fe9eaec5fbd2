use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// A `Vec` whose clone has the same room.
///
/// Nothing may be allocated while a batch is routed, so a policy reserves what it needs when it
/// starts. The clone of a plain `Vec` has room for its present elements only, often none, and a
/// cloned policy would allocate at its first batch.
#[derive(Debug, Default)]
pub(super) struct Scratch<T>(Vec<T>);

impl<T> Scratch<T> {
    /// Empty, with room for `capacity` elements.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }
}

impl<T: Clone> Clone for Scratch<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::with_capacity(self.capacity());
        copy.extend_from_slice(self);
        copy
    }
}

impl<T> From<Vec<T>> for Scratch<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements)
    }
}

impl<T> Deref for Scratch<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}
