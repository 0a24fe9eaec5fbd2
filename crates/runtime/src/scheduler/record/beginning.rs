//! When the process began, for recordings of the whole program.

use std::sync::atomic::{AtomicU64, Ordering};

use super::clock::{Ticks, now};

/// Zero until it is known.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// When the process began, as far as that is known, and otherwise now.
pub(super) fn of_process() -> Ticks {
    // Ordering: Relaxed, it was written before there was another thread.
    match BEGAN.load(Ordering::Relaxed) {
        0 => now(),
        began => began,
    }
}

/// The loader calls this before `main`.
#[cfg(not(test))]
#[allow(unsafe_code, reason = "the loader finds functions by their section")]
#[used]
// SAFETY: this section is a list of functions of this type, which the loader calls.
#[cfg_attr(
    all(unix, not(target_vendor = "apple")),
    unsafe(link_section = ".init_array")
)]
// SAFETY: as above.
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
// SAFETY: as above.
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static NOTE_BEGINNING: extern "C" fn() = note_beginning;

#[cfg(not(test))]
extern "C" fn note_beginning() {
    BEGAN.store(now(), Ordering::Relaxed);
}
