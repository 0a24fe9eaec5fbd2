//! Programs that end on upstream's core and have hung on this one.
//!
//! They block threads on channels, or let pools call each other. `bench/endings/known` runs the
//! same programs on both cores.

#[path = "../../../bench/endings/src/known/blocking.rs"]
mod blocking;
#[path = "../../../bench/endings/src/known/calls.rs"]
mod calls;
#[path = "../../../bench/endings/src/known/indices.rs"]
mod indices;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap()
}

/// A pool that has no other threads than these.
fn pool_with_handler(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.spawn_handler(|thread| {
        thread::Builder::new().spawn(|| thread.run())?;
        Ok(())
    });
    builder.build().unwrap()
}

/// Fails if the program does not end.
fn finishes(program: fn(usize), threads: &'static [usize]) {
    let (done, ended) = channel();
    let runner = thread::spawn(move || {
        threads.iter().for_each(|&threads| program(threads));
        done.send(()).unwrap();
    });
    match ended.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Timeout) => panic!("deadlock"),
        _ => runner.join().unwrap(),
    }
}

#[test]
fn a_spawned_producer_comes_before_the_bridge_that_reads_from_it() {
    finishes(blocking::bridge_inside, &[2, 3, 4, 8]);
}

#[test]
fn the_same_from_outside_the_pool() {
    finishes(blocking::bridge_outside, &[3]);
}

#[test]
fn the_same_in_a_pool_without_spare_threads() {
    finishes(blocking::bridge_handler, &[2, 3, 4, 8]);
}

#[test]
fn a_waiting_worker_runs_a_job_that_its_child_waits_for() {
    finishes(blocking::job_for_a_child, &[2, 3, 8]);
}

#[test]
fn a_job_spawned_within_a_join_runs_before_the_join_ends() {
    finishes(blocking::job_of_a_join, &[1, 2]);
}

#[test]
fn a_waiting_worker_runs_a_job_for_which_no_thread_is_left() {
    finishes(blocking::chain_of_waits, &[2, 3, 8]);
}

#[test]
fn a_worker_that_calls_another_pool_runs_jobs_of_its_own_pool() {
    finishes(calls::job_across_a_call, &[1, 2]);
}

#[test]
fn a_call_on_top_of_a_yielding_one_may_call_the_pool_that_waits_for_that() {
    finishes(calls::yield_under_calls, &[1, 2, 3]);
}

#[test]
fn two_calls_within_one_may_need_each_others_pools() {
    finishes(calls::siblings, &[1, 2, 3]);
}

#[test]
fn an_idle_thread_runs_a_job_although_another_has_its_index() {
    finishes(indices::spin_with_index, &[2, 3, 8]);
}

#[test]
fn a_thread_that_waits_for_its_index_does_not_search() {
    finishes(indices::spin_with_broadcast, &[2, 3, 8]);
}

#[test]
fn a_job_that_yields_takes_turns_with_the_thread_that_has_its_index() {
    finishes(calls::yield_with_index, &[2, 3, 8]);
}
