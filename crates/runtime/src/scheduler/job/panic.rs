use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// The payload of a panic.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Drops what nobody wants. A value that panics when it is dropped does no more harm than that.
pub(crate) fn discard<T>(value: T) {
    let dropped = panic::catch_unwind(AssertUnwindSafe(|| drop(value)));
    // The payload of that panic might do the same again.
    core::mem::forget(dropped);
}
