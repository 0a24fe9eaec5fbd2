//! Whether there is memory for a run, asked before it starts.
//!
//! An allocation that fails aborts the program, so what a run is going to need is computed from its
//! arguments and compared with what can be had: the memory that `sysinfo` says is available, to the
//! machine or to the container, and the address space that a fallible reservation finds.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::failure::Failure;

/// Less than this is not worth a question.
const LITTLE: u64 = 64 << 20;

/// Address space that the program takes besides: for stacks, and for what the allocator sets aside
/// for each thread.
const BESIDES: u64 = 256 << 20;

/// Refuses a run that needs about so many bytes if they cannot be had; `instead` says what to do
/// about it.
pub(crate) fn check(bytes: u64, instead: &str) -> Result<(), Failure> {
    if bytes <= LITTLE {
        return Ok(());
    }
    if bytes <= available() && can_reserve(bytes.saturating_add(BESIDES)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "this needs about {} of memory, which is more than there is now: {instead}",
        shown(bytes)
    )))
}

/// Bytes that the system, or the container, can give without swapping.
fn available() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory);
    let container = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.free_memory);
    match system.available_memory() {
        // Where that cannot be found out, the reservation has to do.
        0 => container,
        free => free.min(container),
    }
}

/// Whether so much address space can be had, which `ulimit -v` may limit.
pub(crate) fn can_reserve(bytes: u64) -> bool {
    let mut space: Vec<u8> = Vec::new();
    usize::try_from(bytes).is_ok_and(|bytes| space.try_reserve_exact(bytes).is_ok())
}

fn shown(bytes: u64) -> String {
    let mut number = bytes as f64 / 1e6;
    let mut unit = "MB";
    for larger in ["GB", "TB", "PB", "EB"] {
        if number >= 1000.0 {
            number /= 1000.0;
            unit = larger;
        }
    }
    format!("{number:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_refused() {
        assert_eq!(check(0, ""), Ok(()));
        assert_eq!(check(LITTLE + 1, ""), Ok(()));
        for bytes in [1 << 60, u64::MAX] {
            assert!(
                matches!(check(bytes, "use less"), Err(Failure::Usage(line)) if line.ends_with(": use less"))
            );
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(shown(70_000_000), "70.0 MB");
        assert_eq!(shown(17_200_000_000), "17.2 GB");
        assert_eq!(shown(u64::MAX), "18.4 EB");
    }
}
