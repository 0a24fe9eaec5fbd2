//! Spawns into a scope of rayon.

/// Runs `job` so many times.
pub(crate) fn spawn_all(count: u32, job: &(impl Fn() + Sync)) {
    rayon::scope(|s| {
        for _ in 0..count {
            s.spawn(|_| job());
        }
    });
}
