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
    spin(threads, Asks::Late);
}

/// A job has the index of a thread that waits, and that thread is woken for its share of a
/// broadcast.
pub(super) fn spin_with_broadcast(threads: usize) {
    spin(threads, Asks::Early);
}

/// When the job asks for its index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// While a thread waits in a join.
    Early,
    /// When the threads of the join are asleep, most of the time.
    Late,
}

fn spin(threads: usize, asks: Asks) {
    let pool = Arc::new(pool(threads));
    for _ in 0..20 {
        let done = Arc::new(AtomicBool::new(false));
        let (shared, seen, set) = (Arc::clone(&pool), Arc::clone(&done), Arc::clone(&done));
        let (started, is_started) = channel();
        let check_index =
            || assert!(rayon::current_thread_index() < Some(rayon::current_num_threads()));
        let job = move || {
            if asks == Asks::Early {
                check_index();
            }
            started.send(()).expect("it is read");
            thread::sleep(Duration::from_millis(5));
            check_index();
            thread::spawn(move || shared.spawn(move || set.store(true, Ordering::SeqCst)));
            while !seen.load(Ordering::SeqCst) {
                thread::yield_now();
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
                if asks == Asks::Early {
                    rayon::spawn_broadcast(|_| ());
                }
            },
        );
        while !done.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }
}
