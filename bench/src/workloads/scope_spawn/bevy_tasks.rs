//! Spawns into a scope of Bevy's task pool, whose tasks are futures.

use bevy_tasks::TaskPool;

/// Runs `job` so many times.
pub(crate) fn spawn_all(pool: &TaskPool, count: u32, job: &(impl Fn() + Sync)) {
    pool.scope(|s| {
        for _ in 0..count {
            s.spawn(async { job() });
        }
    });
}
