use super::Class;
use super::line::Line;
use crate::scheduler::job::{Job, TurnJob};
use crate::sync::{Mutex, lock};

/// The jobs of a pool that were spawned with a class.
///
/// Each of them has put a turn into a queue of the pool: a [`TurnJob`]. The worker that comes to a
/// turn runs the first job of the line, which may be another than the one that brought the turn. So
/// queues, dispatch and stealing know nothing of classes, and there are as many turns as jobs.
pub(crate) struct Lanes {
    line: Mutex<Line<Job>>,
    turn: TurnJob,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        Self {
            line: Mutex::new(Line::new()),
            turn: TurnJob::new(),
        }
    }

    /// Puts a job into the line, and returns its turn for a queue.
    pub(crate) fn push(&self, class: Class, job: Job) -> Job {
        lock(&self.line).push(class, job);
        self.turn.another()
    }

    /// The job whose turn it is.
    pub(crate) fn pop(&self) -> Job {
        let first = lock(&self.line).pop();
        first.expect("there is a job for each turn")
    }
}
