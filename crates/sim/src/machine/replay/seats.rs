//! The seats, and the workers that sit in them.

/// What the worker in a seat does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It executes its newest frame.
    Works,
    /// It has no frame and there is nothing to steal.
    Idles,
    /// Its newest frame waits, and it is awake.
    Waits,
    /// Its newest frame waits, and it sleeps.
    Sleeps,
    /// It is on its way to a task.
    Comes,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) worker: u32,
    pub(super) doing: Doing,
    /// An idle or waiting worker is awake until then.
    pub(super) awake_until: u64,
    /// The number of its next event. Older ones do not count any more.
    pub(super) version: u32,
}

/// A stack of frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    /// From the oldest to the newest.
    pub(super) frames: Vec<u32>,
    /// The stolen tasks among them, each with the number of frames under it.
    pub(super) stolen: Vec<(u32, u32)>,
    pub(super) seat: Option<u32>,
}

impl Worker {
    pub(super) fn top(&self) -> Option<u32> {
        self.frames.last().copied()
    }
}
