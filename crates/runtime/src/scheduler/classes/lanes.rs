use super::Class;
use super::line::Line;
use crate::scheduler::job::{HeapJob, Job};
use crate::scheduler::worker::Worker;
use crate::sync::{Mutex, lock};

/// The jobs of a pool that were spawned with a class.
///
/// Each of them has put a *turn* into a queue of the pool, a job of its own. The worker that comes
/// to a turn runs the first job of the line, which may be another than the one that brought the
/// turn. So queues, dispatch and stealing know nothing of classes, and there are as many turns as
/// jobs.
pub(crate) struct Lanes {
    line: Mutex<Line<Job>>,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        Self {
            line: Mutex::new(Line::new()),
        }
    }

    /// Puts a job into the line, and returns its turn for a queue.
    pub(crate) fn push(&self, class: Class, job: Job) -> Job {
        lock(&self.line).push(class, job);
        turn()
    }

    /// The job whose turn it is, for a turn.
    pub(crate) fn pop(&self) -> Job {
        let first = lock(&self.line).pop();
        first.expect("there is a job for each turn")
    }
}

/// Runs the job whose turn it is.
#[allow(unsafe_code, reason = "jobs are run through pointers")]
fn turn() -> Job {
    let body = |worker: &Worker| worker.shared().lanes.pop().run(worker);
    // SAFETY: the closure borrows nothing.
    unsafe { HeapJob::allocate(body, None) }
}
