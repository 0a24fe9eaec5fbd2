//! Jobs without a handle.

use crate::global::current;

/// Sends a job to the current pool and returns at once.
///
/// On a worker the newest job comes first, unless it is stolen. A panic goes to the pool's panic
/// handler; without one, the process aborts.
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// rayon_core::spawn(move || send.send(22).unwrap());
/// assert_eq!(receive.recv(), Ok(22));
/// ```
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    current(|pool| pool.spawn(false, func));
}

/// [`spawn`], but the jobs that a worker spawns with this function begin oldest first, unless they
/// are stolen.
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    current(|pool| pool.spawn(true, func));
}
