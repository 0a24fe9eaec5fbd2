//! Jobs that ask for the index of their thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::pool;

/// A job asks for its index when the threads that were there before it are idle, and keeps its
/// processor until another job has run.
pub(super) fn spin_with_index(threads: usize) {
    let pool = Arc::new(pool(threads));
    for _ in 0..20 {
        let done = Arc::new(AtomicBool::new(false));
        let (shared, seen) = (Arc::clone(&pool), Arc::clone(&done));
        let (started, is_started) = channel();
        let job = move || {
            started.send(()).expect("it is read");
            // The threads of the join are asleep by then, most of the time.
            thread::sleep(Duration::from_millis(5));
            assert!(rayon::current_thread_index() < Some(rayon::current_num_threads()));
            thread::spawn(move || shared.spawn(move || seen.store(true, Ordering::SeqCst)));
        };
        let job = {
            let done = Arc::clone(&done);
            move || {
                job();
                while !done.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
            }
        };
        let (stolen, is_stolen) = channel();
        pool.join(
            move || is_stolen.recv().expect("the other half starts"),
            move || {
                stolen.send(()).expect("it is read");
                // The other half waits asleep by now, most of the time.
                thread::sleep(Duration::from_millis(2));
                rayon::spawn(job);
                is_started.recv().expect("the job starts");
            },
        );
        while !done.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }
}
