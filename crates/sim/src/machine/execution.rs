//! A computation while processors with deques execute it, and what that comes to.

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::deque::Deque;
use super::observe::{Event, MachineView, Observer, tell_work};
use super::outcome::{LivingSpace, MachineOutcome};
use super::violation::Violation;

/// What both machines that steal share: they differ in where a thread goes when it has executed an
/// instruction, and in how a steal attempt passes, not in what is counted.
pub(super) struct Execution<'a, U, O> {
    computation: U,
    observer: &'a mut O,
    enabled: Vec<ThreadId>,
    homes: Homes,
    space: LivingSpace,
    pub(super) totals: MachineOutcome,
    /// The root has died.
    pub(super) done: bool,
}

impl<'a, U: Unfold, O: Observer> Execution<'a, U, O> {
    /// And the thread that each of so many processors has in hand: the root is with the first.
    pub(super) fn begin(
        computation: U,
        observer: &'a mut O,
        processors: usize,
    ) -> (Self, Vec<Option<ThreadId>>) {
        let root = computation.root();
        let mut hands = vec![None; processors];
        hands[0] = Some(root);
        let execution = Self {
            observer,
            enabled: Vec::new(),
            homes: Homes::of(root),
            space: LivingSpace::of(computation.frame(root)),
            totals: MachineOutcome::default(),
            done: false,
            computation,
        };
        (execution, hands)
    }

    /// The next step begins.
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

    /// `processor`, whose deque is `deque`, executes an instruction of `thread`, and pushes what
    /// that enables. Where the thread itself goes, and a child, is for the caller to decide.
    #[inline]
    pub(super) fn work(
        &mut self,
        processor: usize,
        thread: ThreadId,
        deque: &mut Deque,
    ) -> Executed {
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
        while let Some(other) = self.enabled.pop() {
            let frame = self.computation.frame(other);
            self.totals.communication += self.homes.fetch(other, processor, frame);
            deque.push_bottom(other);
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

    /// The request of `thief` to `victim` was served, with `thread` or with nothing.
    pub(super) fn served(&mut self, thief: usize, victim: usize, thread: Option<ThreadId>) {
        if let Some(thread) = thread {
            let frame = self.computation.frame(thread);
            self.totals.steals += 1;
            self.totals.communication += self.homes.fetch(thread, thief, frame);
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
