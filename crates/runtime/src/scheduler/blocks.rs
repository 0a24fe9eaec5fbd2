//! Memory for jobs on the heap.
#![allow(unsafe_code, reason = "blocks are linked through their own memory")]

use core::cell::Cell;
use core::ptr::{self, NonNull};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};

/// A worker's free list: the block of a child that has ended serves the next child.
///
/// A general-purpose allocator takes longer for a block than the worker takes for the rest of a
/// spawn.
pub(crate) struct Blocks {
    first: Cell<*mut Block>,
    count: Cell<usize>,
}

/// Memory for one child. A free block begins with the pointer to the next free one.
#[repr(C, align(16))]
struct Block {
    next: *mut Block,
    room: [usize; 7],
}

/// A worker keeps at most eight mebibytes, and those only if it once had so many children.
const MOST: usize = (8 << 20) / size_of::<Block>();

impl Blocks {
    pub(crate) fn new() -> Self {
        Self {
            first: Cell::new(ptr::null_mut()),
            count: Cell::new(0),
        }
    }

    /// Whether a `T` fits into a block.
    const fn fits<T>() -> bool {
        size_of::<T>() <= size_of::<Block>() && align_of::<T>() <= align_of::<Block>()
    }

    /// Moves `value` to the heap: into a block of `blocks` if there is one and the value fits.
    pub(crate) fn store<T>(blocks: Option<&Self>, value: T) -> NonNull<T> {
        if !Self::fits::<T>() {
            return NonNull::from(Box::leak(Box::new(value)));
        }
        let stored = blocks
            .and_then(Self::take)
            .unwrap_or_else(allocate)
            .cast::<T>();
        // SAFETY: the block is ours alone, large enough and aligned.
        unsafe { stored.write(value) };
        stored
    }

    /// Takes the value back and puts its block on the free list.
    ///
    /// # Safety
    ///
    /// `stored` came from [`store`](Self::store), with the blocks of any worker or none, and is not
    /// used again.
    pub(crate) unsafe fn take_back<T>(&self, stored: NonNull<T>) -> T {
        if !Self::fits::<T>() {
            // SAFETY: a value that does not fit is in a `Box`.
            return *unsafe { Box::from_raw(stored.as_ptr()) };
        }
        // SAFETY: `store` wrote the value, and it is read once.
        let value = unsafe { stored.read() };
        self.keep(stored.cast());
        value
    }

    fn take(&self) -> Option<NonNull<Block>> {
        let first = NonNull::new(self.first.get())?;
        // SAFETY: a free block is ours and begins with the pointer that `keep` wrote.
        self.first.set(unsafe { first.cast::<*mut Block>().read() });
        self.count.set(self.count.get() - 1);
        Some(first)
    }

    fn keep(&self, block: NonNull<Block>) {
        if self.count.get() == MOST {
            free(block);
            return;
        }
        let next = self.first.get();
        // SAFETY: the block is ours alone and begins with this pointer.
        unsafe { block.cast::<*mut Block>().write(next) };
        self.first.set(block.as_ptr());
        self.count.set(self.count.get() + 1);
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        while let Some(block) = self.take() {
            free(block);
        }
    }
}

fn allocate() -> NonNull<Block> {
    let layout = Layout::new::<Block>();
    // SAFETY: the size of a block is not zero.
    let block = unsafe { alloc(layout) };
    NonNull::new(block.cast()).unwrap_or_else(|| handle_alloc_error(layout))
}

fn free(block: NonNull<Block>) {
    // SAFETY: every block comes from `allocate`, and this one is free.
    unsafe { dealloc(block.as_ptr().cast(), Layout::new::<Block>()) };
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_reused() {
        let blocks = Blocks::new();
        let first = Blocks::store(Some(&blocks), 7u64);
        // SAFETY: from `store`, and not used again.
        assert_eq!(unsafe { blocks.take_back(first) }, 7);
        let second = Blocks::store(Some(&blocks), [1u32; 16]);
        assert_eq!(first.cast(), second);
        // SAFETY: as above.
        assert_eq!(unsafe { blocks.take_back(second) }, [1; 16]);
    }

    #[test]
    fn a_value_that_does_not_fit_gets_a_box() {
        let blocks = Blocks::new();
        let large = Blocks::store(Some(&blocks), [3u64; 9]);
        // SAFETY: as above.
        assert_eq!(unsafe { blocks.take_back(large) }, [3; 9]);
        assert_eq!(blocks.count.get(), 0);
    }

    #[test]
    fn from_one_worker_to_another() {
        let (one, other) = (Blocks::new(), Blocks::new());
        let stored: Vec<_> = (0..100u64)
            .map(|value| Blocks::store(Some(&one), value))
            .collect();
        for (value, stored) in (0..).zip(stored) {
            // SAFETY: as above.
            assert_eq!(unsafe { other.take_back(stored) }, value);
        }
        assert_eq!((one.count.get(), other.count.get()), (0, 100));
    }
}
