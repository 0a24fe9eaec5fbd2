//! Spawns into a scope of forte.

use forte::Worker;

/// Runs `job` so many times.
pub(crate) fn spawn_all(worker: &Worker, count: u32, job: &(impl Fn() + Sync)) {
    worker.scope(|s| {
        for _ in 0..count {
            s.spawn(|_: &Worker| job());
        }
    });
}
