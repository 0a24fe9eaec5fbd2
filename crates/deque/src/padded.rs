use core::ops::Deref;

/// A value alone on its cache lines, so that writes to neighbouring data do not slow its readers
/// down (false sharing). Two lines, because processors prefetch them in pairs.
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
