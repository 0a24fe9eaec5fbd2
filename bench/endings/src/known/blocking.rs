//! Jobs that block their thread until another job has run.

use std::sync::mpsc::{channel, sync_channel};

use rayon::prelude::*;

use super::{pool, pool_with_handler};

const SECTIONS: usize = 300;

fn producer_and_bridge() {
    let (send, receive) = sync_channel(8);
    rayon::spawn(move || (0..500_u64).for_each(|item| send.send(item).expect("it is read")));
    let sum = receive.into_iter().par_bridge().sum::<u64>();
    assert_eq!(sum, 500 * 499 / 2);
}

pub(super) fn bridge_inside(threads: usize) {
    let pool = pool(threads);
    (0..SECTIONS).for_each(|_| pool.install(producer_and_bridge));
}

pub(super) fn bridge_handler(threads: usize) {
    let pool = pool_with_handler(threads);
    (0..SECTIONS).for_each(|_| pool.install(producer_and_bridge));
}

pub(super) fn bridge_outside(threads: usize) {
    let global = rayon::ThreadPoolBuilder::new().num_threads(threads);
    global.build_global().expect("there is no global pool yet");
    (0..SECTIONS).for_each(|_| producer_and_bridge());
}

/// A stolen half blocks until a job has run that was spawned before it, while the worker that could
/// run the job waits for the half.
pub(super) fn job_for_a_child(threads: usize) {
    let pool = pool_with_handler(threads);
    for _ in 0..SECTIONS {
        pool.install(|| {
            let (started, is_started) = channel();
            let (send, receive) = channel();
            rayon::join(
                move || {
                    // The other half was stolen.
                    is_started.recv().expect("the other half starts");
                    rayon::spawn(move || send.send(7).expect("it is read"));
                },
                move || {
                    started.send(()).expect("it is read");
                    assert_eq!(receive.recv(), Ok(7));
                },
            );
        });
    }
}

/// Upstream's worker runs the job at the end of the join.
pub(super) fn job_of_a_join(threads: usize) {
    let pool = pool(threads);
    for _ in 0..SECTIONS {
        pool.install(|| {
            let (send, receive) = channel();
            rayon::join(
                || rayon::spawn(move || send.send(7).expect("it is read")),
                || (),
            );
            assert_eq!(receive.recv(), Ok(7));
        });
    }
}
