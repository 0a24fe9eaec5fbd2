//! Objects of the module, as Envoy holds them.

use crate::abi::types::ModulePtr;

/// Gives an object to Envoy.
pub(super) fn give<T>(object: T) -> ModulePtr {
    give_box(Box::new(object))
}

/// Gives an object to Envoy that is in a box.
pub(super) fn give_box<T>(object: Box<T>) -> ModulePtr {
    Box::into_raw(object).cast_const().cast()
}

/// Takes an object back.
///
/// # Safety
///
/// `pointer` is null or came from [`give`] for the same type, and Envoy uses it no more.
pub(super) unsafe fn take<T>(pointer: ModulePtr) -> Option<Box<T>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller promises that it came from `give::<T>` and is not used again.
    Some(unsafe { Box::from_raw(pointer.cast_mut().cast()) })
}

/// An object that Envoy shows to one hook at a time.
///
/// # Safety
///
/// `pointer` came from [`give`] for the same type and has not been taken back. No other reference
/// to the object exists until the hook returns: Envoy calls the hooks of a balancer or a filter on
/// one thread, one after the other, and our hooks make no call that re-enters one for the same
/// object while they hold the reference.
pub(super) unsafe fn unique<'a, T>(pointer: ModulePtr) -> &'a mut T {
    // SAFETY: the caller promises it.
    unsafe { &mut *pointer.cast_mut().cast() }
}

/// An object that Envoy shows to hooks on several threads.
///
/// # Safety
///
/// `pointer` came from [`give`] for the same type, has not been taken back until the hook returns,
/// and `T` may be shared between threads.
pub(super) unsafe fn shared<'a, T: Sync>(pointer: ModulePtr) -> &'a T {
    // SAFETY: the caller promises it.
    unsafe { &*pointer.cast() }
}
