//! The tasks that have begun and not ended.

/// No frame, no stolen task.
pub(super) const NONE: u32 = u32::MAX;

/// A task under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The next step, and the end of the steps.
    pub(super) next: u32,
    pub(super) end: u32,
    /// The frame that is told when it ends. None for a first closure and the body of a scope: they
    /// lie on top of it.
    pub(super) target: u32,
    /// The frame that opened the innermost scope around it.
    pub(super) scope: u32,
    /// How many tasks have to end before it goes on after a join or a scope.
    pub(super) pending: u32,
    /// Whether it comes to the end of a join or a scope next.
    pub(super) syncs: bool,
    /// The first item in the deque that belongs to that join or scope, or is newer.
    pub(super) base: u64,
    /// The stolen task that it belongs to.
    pub(super) root: u32,
    /// The worker that has it.
    pub(super) worker: u32,
    /// The caller that waits for it, if it stands for an entry and not for a task.
    pub(super) entry: Option<Awaits>,
}

/// What is waited for at the end of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaits {
    Caller(u32),
    NoCaller,
}

/// All of them, by number. Numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    free: Vec<u32>,
}

impl Frames {
    pub(super) fn add(&mut self, frame: Frame) -> u32 {
        if let Some(number) = self.free.pop() {
            self.frames[number as usize] = frame;
            return number;
        }
        self.frames.push(frame);
        self.frames.len() as u32 - 1
    }

    pub(super) fn remove(&mut self, number: u32) -> Frame {
        self.free.push(number);
        self.frames[number as usize]
    }

    pub(super) fn get(&self, number: u32) -> &Frame {
        &self.frames[number as usize]
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut Frame {
        &mut self.frames[number as usize]
    }
}
