//! Spawns into a scope of filch.

/// Runs `job` so many times.
pub(crate) fn spawn_all(count: u32, job: &(impl Fn() + Sync)) {
    filch::scope(|s| {
        for _ in 0..count {
            s.spawn(|_| job());
        }
    });
}
