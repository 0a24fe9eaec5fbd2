//! A worker: a thread of the operating system, which to this model is a stack.

use filch_workload::dag::ThreadId;

use super::stolen::Stolen;

/// The frames of tasks that have begun and not ended, and where their worker sits.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    /// From the oldest to the newest.
    frames: Vec<ThreadId>,
    /// The stolen tasks among them, each with the number of frames under it.
    stolen: Vec<(Stolen, usize)>,
    /// The sum of the sizes of the frames.
    depth: u64,
    /// Its seat; none while it sleeps without one or is spare.
    pub(super) seat: Option<usize>,
    /// The seat that it had last.
    pub(super) home: usize,
}

impl Worker {
    /// Without frames, in a seat.
    pub(super) fn at(seat: usize) -> Self {
        Self {
            seat: Some(seat),
            home: seat,
            ..Self::default()
        }
    }

    /// The newest frame.
    pub(super) fn top(&self) -> Option<ThreadId> {
        self.frames.last().copied()
    }

    /// The newest stolen task.
    pub(super) fn newest_stolen(&self) -> Option<Stolen> {
        self.stolen.last().map(|&(stolen, _)| stolen)
    }

    pub(super) fn depth(&self) -> u64 {
        self.depth
    }

    /// Puts the frame of a task on top, and notes if the task is a stolen one.
    pub(super) fn push(&mut self, frame: ThreadId, size: u64, stolen: Option<Stolen>) {
        if let Some(stolen) = stolen {
            self.stolen.push((stolen, self.frames.len()));
        }
        self.frames.push(frame);
        self.depth += size;
    }

    /// Takes the newest frame away. Returns the stolen task that ends with it, if one does.
    pub(super) fn pop(&mut self, size: u64) -> Option<Stolen> {
        self.frames.pop();
        self.depth -= size;
        let &(stolen, under) = self.stolen.last()?;
        if under < self.frames.len() {
            return None;
        }
        self.stolen.pop();
        Some(stolen)
    }
}
