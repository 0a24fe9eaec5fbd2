//! Watching a machine run: for checks, records and measurements that a run does not need itself.

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::deque::Deque;
use super::outcome::MachineOutcome;
use super::violation::Violation;

/// A machine at the beginning of a step, when every processor knows what it will do.
#[derive(Clone, Copy, Debug)]
pub struct MachineView<'a> {
    /// The step that begins, counted from 1.
    pub step: u64,
    /// The thread that each processor works on.
    pub hands: &'a [Option<ThreadId>],
    /// The deque of each processor; empty for machines that have a pool instead.
    pub deques: &'a [Deque],
}

/// What a processor did in a step.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It executed an instruction.
    Worked {
        /// The processor.
        processor: usize,
        /// The thread of the instruction.
        thread: ThreadId,
        /// What became of the thread.
        executed: Executed,
        /// The size of the frame of the thread that it spawned, if it did.
        frame: u64,
        /// The stalled threads that are ready now.
        enabled: &'a [ThreadId],
    },
    /// It began a steal attempt.
    Asked {
        /// The processor that asks.
        thief: usize,
        /// The processor that is asked.
        victim: usize,
    },
    /// It waited for a request of an earlier step.
    Waited {
        /// The processor that waits.
        thief: usize,
    },
    /// It had nothing to do, and its machine does not steal; or its worker slept.
    Idled {
        /// The processor.
        processor: usize,
    },
    /// It put the frame of a thread on top of the stack of its worker.
    Began {
        /// The processor.
        processor: usize,
        /// The thread that begins.
        thread: ThreadId,
        /// The size of its frame.
        frame: u64,
    },
    /// A worker took its seat.
    Sat {
        /// The processor that the seat stands for.
        processor: usize,
        /// The worker.
        worker: usize,
    },
    /// A worker left its seat.
    Left {
        /// The processor that the seat stands for.
        processor: usize,
        /// The worker.
        worker: usize,
    },
    /// Its request was served: with a thread, or because there was none.
    Served {
        /// The processor that asked.
        thief: usize,
        /// The processor that was asked.
        victim: usize,
        /// The stolen thread, if there was one.
        thread: Option<ThreadId>,
    },
}

/// A program that watches a machine.
pub trait Observer {
    /// Whether there is anything to be told; if not, the machine is compiled without the telling.
    const WATCHES: bool = true;

    /// A step begins.
    fn begins(&mut self, _view: &MachineView<'_>) -> Result<(), Violation> {
        Ok(())
    }

    /// Something was done in this step.
    fn happened(&mut self, _event: &Event<'_>) {}

    /// The computation is done.
    fn finished(&mut self, _outcome: &MachineOutcome) -> Result<(), Violation> {
        Ok(())
    }
}

/// No observer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    const WATCHES: bool = false;
}

/// Tells an observer, if it watches, that an instruction of `thread` was executed.
#[inline(always)]
pub(super) fn tell_work<U: Unfold, O: Observer>(
    observer: &mut O,
    computation: &U,
    processor: usize,
    thread: ThreadId,
    executed: Executed,
    enabled: &[ThreadId],
) {
    if O::WATCHES {
        let frame = match executed {
            Executed::Spawns(child) => computation.frame(child),
            _ => 0,
        };
        observer.happened(&Event::Worked {
            processor,
            thread,
            executed,
            frame,
            enabled,
        });
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const WATCHES: bool = A::WATCHES || B::WATCHES;

    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        self.0.begins(view)?;
        self.1.begins(view)
    }

    fn happened(&mut self, event: &Event<'_>) {
        self.0.happened(event);
        self.1.happened(event);
    }

    fn finished(&mut self, outcome: &MachineOutcome) -> Result<(), Violation> {
        self.0.finished(outcome)?;
        self.1.finished(outcome)
    }
}
