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

/// A chain of joins, longer than the pool has threads, whose halves run on different threads: a
/// spawned job beside each fork keeps the threads that wait from taking it. At its end a thread
/// blocks until a job has run. Upstream's threads run anything while they wait.
pub(super) fn chain_of_waits(threads: usize) {
    pool(threads).install(|| wait_in_turn(6 * threads));
}

fn wait_in_turn(levels: usize) {
    if levels == 0 {
        let (send, receive) = channel();
        rayon::spawn(move || send.send(7).expect("it is read"));
        assert_eq!(receive.recv(), Ok(7));
        return;
    }
    rayon::spawn(|| ());
    let (started, is_started) = channel();
    rayon::join(
        // The other half was stolen.
        move || is_started.recv().expect("the other half starts"),
        move || {
            started.send(()).expect("it is read");
            wait_in_turn(levels - 1);
        },
    );
}
