use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// The payload of a panic.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Drops a value, and ignores a panic of its destructor.
pub(crate) fn discard<T>(value: T) {
    let dropped = panic::catch_unwind(AssertUnwindSafe(|| drop(value)));
    // Dropping the payload of that panic could panic again.
    core::mem::forget(dropped);
}
