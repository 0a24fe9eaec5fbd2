//! The marks on an item in its slot: the lowest bits of its address.

/// A thief may take the item: before the owner takes it back, it has to settle with the thieves.
const GUARDED: usize = 1;
/// The owner passes a fence before it takes the item back: it comes to `settle`, which has one.
const FENCED: usize = 2;

/// Whether the alignment of items leaves room for the marks.
pub(crate) const fn fits<T>() -> bool {
    align_of::<T>() > GUARDED | FENCED
}

pub(crate) fn guarded<T>(item: *mut T) -> *mut T {
    item.map_addr(|address| address | GUARDED)
}

pub(crate) fn fenced<T>(item: *mut T) -> *mut T {
    item.map_addr(|address| address | FENCED)
}

pub(crate) fn is_guarded<T>(item: *mut T) -> bool {
    item.addr() & GUARDED != 0
}

pub(crate) fn is_fenced<T>(item: *mut T) -> bool {
    item.addr() & FENCED != 0
}

#[inline]
pub(crate) fn is_marked<T>(item: *mut T) -> bool {
    item.addr() & (GUARDED | FENCED) != 0
}

pub(crate) fn unmarked<T>(item: *mut T) -> *mut T {
    item.map_addr(|address| address & !(GUARDED | FENCED))
}
