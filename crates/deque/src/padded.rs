use core::ops::Deref;

/// A value alone on its cache lines, so that a thread that writes to a neighbour does not slow its
/// readers down. Two lines, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
