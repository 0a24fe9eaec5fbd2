//! Jobs in the order in which they came, beside a stack of stand-ins.

use std::collections::VecDeque;

use crate::scheduler::job::Job;
use crate::sync::{Mutex, lock};

/// Jobs that are to begin in the order in which one worker spawned them.
///
/// What a worker has to do lies in a stack, so that it goes on with what it had in hand. A job that goes
/// here leaves a *stand-in* there, which runs the first job of the fifo when its turn comes: so many
/// stand-ins, so many jobs.
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
        let first = lock(&self.jobs).pop_front();
        first.expect("there is a job for each stand-in")
    }
}
