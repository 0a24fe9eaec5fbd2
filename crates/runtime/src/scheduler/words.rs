//! Copying a closure word by word.
#![allow(unsafe_code, reason = "a value is copied as words")]

use core::mem::MaybeUninit;
use core::{ptr, slice};

/// Reads a value word by word, if it consists of a few words.
///
/// The value was written a moment ago, field by field. Store-to-load forwarding serves a load of
/// one field from the store buffer. It fails for a load of two fields at once, which is how the
/// compiler likes to copy: the processor then waits until both stores have reached the cache, and
/// all stores before them. In rayon's loops over slices of tiny items, that took nearly half of the
/// time.
///
/// # Safety
///
/// As [`ptr::read`].
#[inline(always)]
pub(crate) unsafe fn read_by_words<T>(from: *const T) -> T {
    type Word = MaybeUninit<*const ()>;
    const MOST: usize = 16;
    let words = size_of::<T>() / size_of::<Word>();
    if !size_of::<T>().is_multiple_of(size_of::<Word>())
        || align_of::<T>() < align_of::<Word>()
        || words > MOST
    {
        // SAFETY: promised by the caller.
        return unsafe { from.read() };
    }
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the value has so many words and is aligned, and a `Word` may hold anything. The
    // caller promises that it can be read.
    let from = unsafe { slice::from_raw_parts(from.cast::<Word>(), words) };
    // SAFETY: as above, and `value` is ours.
    let to = unsafe { slice::from_raw_parts_mut(value.as_mut_ptr().cast::<Word>(), words) };
    for (to, from) in to.iter_mut().zip(from) {
        // SAFETY: a reference can be read. Volatile, so that the compiler does not merge two words
        // into one load.
        *to = unsafe { ptr::read_volatile(from) };
    }
    // SAFETY: every byte of the value was copied.
    unsafe { value.assume_init() }
}

#[cfg(test)]
mod tests {
    use core::mem::ManuallyDrop;

    use super::*;

    fn read<T>(value: T) -> T {
        let value = ManuallyDrop::new(value);
        // SAFETY: the value is not used again.
        unsafe { read_by_words(ptr::from_ref(&*value)) }
    }

    #[test]
    fn values_of_all_sizes_are_read_whole() {
        read(());
        assert_eq!(read(7u8), 7);
        assert_eq!(read([1u32, 2, 3]), [1, 2, 3]);
        // With padding between the fields.
        assert_eq!(read((1u8, 2u64, 3u32)), (1, 2, 3));
        assert_eq!(read((1u128, 2u8)), (1, 2));
        let text = "kept where it is".to_owned();
        assert_eq!(read((text.clone(), &text, 5u16)), (text.clone(), &text, 5));
        let many: [usize; 40] = core::array::from_fn(|at| at);
        assert_eq!(read(many), many);
    }
}
