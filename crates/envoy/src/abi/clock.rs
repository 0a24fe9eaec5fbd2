//! The clock that answers are timed by.

/// Nanoseconds of the system's monotonic clock, which is also that of [`std::time::Instant`]: read
/// without a detour over seconds and a start.
#[allow(unsafe_code)]
pub(crate) fn nanos() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes to `now` alone. It fails only if there is no such clock, which Linux has.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
