//! Pools that come and go.

use std::sync::mpsc::channel;
use std::thread;

use rayon::ThreadPoolBuilder;

/// The first pool of a process that has another thread, and its first job.
pub(crate) fn first() {
    let (send, receive) = channel::<()>();
    let other = thread::spawn(move || receive.recv());
    rayon::join(|| (), || ());
    drop(send);
    drop(other.join());
}

/// Pools that do one thing each.
pub(crate) fn many() {
    for _ in 0..2_000 {
        let pool = ThreadPoolBuilder::new().build();
        pool.expect("the system gives threads").install(|| ());
    }
}
