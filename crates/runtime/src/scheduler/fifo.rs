//! Jobs in the order of their spawns, beside a stack of stand-ins.

use std::collections::VecDeque;

use crate::scheduler::job::Job;
use crate::scheduler::queue::shrink;
use crate::sync::{Mutex, lock};

/// Jobs that begin in the order in which one worker spawned them.
///
/// A worker keeps its work in a stack, so that it continues with its newest. For each job that goes
/// into the fifo, a *stand-in* goes onto the stack, which runs the first job of the fifo when it is
/// popped. So there are as many stand-ins as jobs.
pub(crate) struct Fifo {
    jobs: Mutex<VecDeque<Job>>,
}

impl Fifo {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Mutex::new(VecDeque::new()),
        }
    }

    pub(crate) fn push(&self, job: Job) {
        lock(&self.jobs).push_back(job);
    }

    /// The first job, for a stand-in.
    pub(crate) fn pop(&self) -> Job {
        let mut jobs = lock(&self.jobs);
        let first = jobs.pop_front();
        shrink(&mut jobs);
        drop(jobs);
        first.expect("there is a job for each stand-in")
    }
}
