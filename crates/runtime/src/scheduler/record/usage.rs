//! How much processor time the process got.

use filch_profile::Usage;

/// What the process has used so far; none where the system does not say.
#[cfg(unix)]
#[allow(unsafe_code, reason = "a function of the C library")]
pub(super) fn usage() -> Option<Usage> {
    use core::mem::MaybeUninit;

    use filch_profile::Duration;

    let mut used = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is to memory of that type, which the function may write to.
    let refused = unsafe { libc::getrusage(libc::RUSAGE_SELF, used.as_mut_ptr()) };
    if refused != 0 {
        return None;
    }
    // SAFETY: the function has succeeded, and then it has written all of it.
    let used = unsafe { used.assume_init() };
    let time = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let micros = u64::try_from(time.tv_usec).unwrap_or(0);
        Duration::from_nanos(seconds.saturating_mul(1_000_000_000) + 1000 * micros)
    };
    Some(Usage {
        processor: time(used.ru_utime) + time(used.ru_stime),
        preemptions: u64::try_from(used.ru_nivcsw).unwrap_or(0),
    })
}

/// Elsewhere the system is not asked.
#[cfg(not(unix))]
pub(super) fn usage() -> Option<Usage> {
    None
}

/// What it has used since then.
pub(super) fn used_since(before: Option<Usage>) -> Usage {
    let both = usage().zip(before);
    both.map_or_else(Usage::default, |(now, before)| now - before)
}
