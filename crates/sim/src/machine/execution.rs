//! A computation while processors execute it, and what that comes to.

use std::ops::Range;

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::deque::Deque;
use super::observe::{Event, MachineView, Observer, tell_work};
use super::outcome::{LivingSpace, MachineOutcome};
use super::violation::Violation;

/// What all machines share: they differ in where a thread goes when it has executed an instruction,
/// and in how a processor comes by another, not in what is counted.
pub(super) struct Execution<'a, U, O> {
    pub(super) computation: U,
    observer: &'a mut O,
    /// What the last instruction has enabled.
    pub(super) enabled: Vec<ThreadId>,
    pub(super) homes: Homes,
    space: LivingSpace,
    pub(super) totals: MachineOutcome,
    /// The root has died.
    pub(super) done: bool,
}

impl<'a, U: Unfold, O: Observer> Execution<'a, U, O> {
    /// The root is ready, on processor 0.
    pub(super) fn of(computation: U, observer: &'a mut O) -> Self {
        let root = computation.root();
        Self {
            observer,
            enabled: Vec::new(),
            homes: Homes::of(root),
            space: LivingSpace::of(computation.frame(root)),
            totals: MachineOutcome::default(),
            done: false,
            computation,
        }
    }

    /// And the thread that each of so many processors has in hand: the root is with the first.
    pub(super) fn begin(
        computation: U,
        observer: &'a mut O,
        processors: usize,
    ) -> (Self, Vec<Option<ThreadId>>) {
        let mut hands = vec![None; processors];
        hands[0] = Some(computation.root());
        (Self::of(computation, observer), hands)
    }

    /// The next step begins. A machine without deques has none to show.
    pub(super) fn step(
        &mut self,
        hands: &[Option<ThreadId>],
        deques: &[Deque],
    ) -> Result<(), Violation> {
        self.totals.time += 1;
        if O::WATCHES {
            let step = self.totals.time;
            self.observer.begins(&MachineView {
                step,
                hands,
                deques,
            })?;
        }
        Ok(())
    }

    /// `processor` executes an instruction of `thread`. Where the thread goes, a child, and what
    /// was [enabled](Self::enabled), is for the caller to decide.
    #[inline]
    pub(super) fn execute(&mut self, processor: usize, thread: ThreadId) -> Executed {
        let executed = self.computation.execute(thread, &mut self.enabled);
        self.totals.work += 1;
        let (computation, enabled) = (&self.computation, &self.enabled);
        tell_work(
            self.observer,
            computation,
            processor,
            thread,
            executed,
            enabled,
        );
        for &other in self.computation.joined() {
            self.totals.communication += self.homes.message(other, processor);
        }
        match executed {
            Executed::Continues | Executed::Stalls => {}
            Executed::Spawns(child) => {
                self.space.born(self.computation.frame(child));
                self.homes.born(child, processor);
            }
            Executed::Dies(parent) => {
                self.space.died(self.computation.frame(thread));
                match parent {
                    Some(parent) => {
                        self.totals.communication += self.homes.message(parent, processor);
                    }
                    None => self.done = true,
                }
            }
        }
        executed
    }

    /// The same, and what it enables moves to `deque`, which is the processor's.
    #[inline]
    pub(super) fn work(
        &mut self,
        processor: usize,
        thread: ThreadId,
        deque: &mut Deque,
    ) -> Executed {
        let executed = self.execute(processor, thread);
        while let Some(other) = self.enabled.pop() {
            self.fetch(other, processor);
            deque.push_bottom(other);
        }
        executed
    }

    /// The frame of `thread` moves to `processor`, unless it is there.
    #[inline]
    pub(super) fn fetch(&mut self, thread: ThreadId, processor: usize) {
        let frame = self.computation.frame(thread);
        self.totals.communication += self.homes.fetch(thread, processor, frame);
    }

    /// These processors have nothing to do in this step.
    pub(super) fn idle(&mut self, processors: Range<usize>) {
        self.totals.idle += processors.len() as u64;
        if O::WATCHES {
            for processor in processors {
                self.observer.happened(&Event::Idled { processor });
            }
        }
    }

    /// The request of `thief` to `victim` was served, with `thread` or with nothing.
    pub(super) fn served(&mut self, thief: usize, victim: usize, thread: Option<ThreadId>) {
        if let Some(thread) = thread {
            self.totals.steals += 1;
            self.fetch(thread, thief);
        }
        self.tell(Event::Served {
            thief,
            victim,
            thread,
        });
    }

    pub(super) fn tell(&mut self, event: Event<'_>) {
        if O::WATCHES {
            self.observer.happened(&event);
        }
    }

    /// What it came to, when it is done.
    pub(super) fn finish(self) -> Result<MachineOutcome, Violation> {
        let outcome = MachineOutcome {
            peak_space: self.space.peak,
            ..self.totals
        };
        self.observer.finished(&outcome)?;
        Ok(outcome)
    }
}
