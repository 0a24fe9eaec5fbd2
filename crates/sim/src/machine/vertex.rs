//! Work stealing on vertices: the loop of ABP01.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::deque::Deque;
use super::execution::Execution;
use super::next::Next;
use super::observe::{Event, Observer};
use super::outcome::MachineOutcome;
use super::pop_top::PopTop;
use super::violation::Violation;

/// ABP01's machine: a worker executes its assigned vertex, pushes what became ready, pops the
/// next; without an assigned vertex it makes one steal attempt a round, which succeeds or fails in
/// that round.
///
/// A ready vertex is the next instruction of a ready thread, so the deques hold threads here too.
/// In a round, first all assigned vertices are executed, then all attempts are made, each in the
/// order of the workers' numbers; deque operations are atomic. With [`PopTop::Relaxed`] the thieves
/// look for their vertices before the executions, so that attempts also fail by contention. (ABP01
/// assumes for convenience that the root vertex has one child; nothing here needs it.)
#[derive(Clone, Copy, Debug)]
pub struct VertexStealing {
    /// P.
    pub processors: usize,
    /// Which of two vertices comes first.
    pub next: Next,
    /// How a thief chooses a victim: ABP01's `randomWorker` may return the thief itself.
    pub victim: Victim,
    /// When an attempt may fail.
    pub pop_top: PopTop,
}

impl VertexStealing {
    /// Runs a computation in which no instruction has more than two edges out.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        self.run_branch(computation, asking, None, observer)
    }

    /// The same, with the randomness of `branch` from its round on.
    pub fn run_branch<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        branch: Option<Branch>,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut run = VertexRun::new(self, computation, observer);
        let mut branch = branch;
        while !run.execution.done {
            let round = run.execution.totals.time + 1;
            if let Some(Branch { then, .. }) = branch.take_if(|branch| branch.round == round) {
                *asking = then;
            }
            run.round(asking)?;
        }
        run.execution.finish()
    }
}

/// A run whose randomness changes at a round: with the same `asking` and different `then`, runs
/// that agree up to that round and are independent from there on.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The first round of the new randomness, counted from 1.
    pub round: u64,
    /// The stream from there on.
    pub then: Stream,
}

struct VertexRun<'a, U, O> {
    machine: &'a VertexStealing,
    execution: Execution<'a, U, O>,
    /// The assigned vertices.
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
    /// The attempts of this round.
    attempts: Vec<Attempt>,
}

/// What a worker without an assigned vertex does in a round.
struct Attempt {
    thief: usize,
    victim: usize,
    /// The vertex at the top of the victim's deque when the round began.
    target: Option<ThreadId>,
}

impl<'a, U: Unfold, O: Observer> VertexRun<'a, U, O> {
    fn new(machine: &'a VertexStealing, computation: U, observer: &'a mut O) -> Self {
        let (execution, hands) = Execution::begin(computation, observer, machine.processors);
        Self {
            machine,
            execution,
            hands,
            deques: vec![Deque::new(); machine.processors],
            attempts: Vec::new(),
        }
    }

    fn round(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        self.execution.step(&self.hands, &self.deques)?;
        let mut attempts = std::mem::take(&mut self.attempts);
        let thieves = (0..self.hands.len()).filter(|&worker| self.hands[worker].is_none());
        attempts.extend(thieves.map(|thief| {
            let victim = self.machine.victim.choose(thief, self.hands.len(), asking);
            let victim = victim.unwrap_or(thief);
            Attempt {
                thief,
                victim,
                target: self.deques[victim].top(),
            }
        }));
        for processor in 0..self.hands.len() {
            if let Some(thread) = self.hands[processor] {
                self.work(processor, thread);
            }
        }
        for attempt in attempts.drain(..) {
            self.attempt(&attempt);
        }
        self.attempts = attempts;
        Ok(())
    }

    /// Executes the assigned vertex, pushes what it enables, pops the next.
    #[inline]
    fn work(&mut self, processor: usize, thread: ThreadId) {
        let deque = &mut self.deques[processor];
        match self.execution.work(processor, thread, deque) {
            Executed::Continues => deque.push_bottom(thread),
            Executed::Spawns(child) => {
                let (first, last) = match self.machine.next {
                    Next::Continuation => (child, thread),
                    Next::Spawned => (thread, child),
                };
                deque.push_bottom(first);
                deque.push_bottom(last);
            }
            Executed::Stalls | Executed::Dies(_) => {}
        }
        self.hands[processor] = deque.pop_bottom();
    }

    fn attempt(&mut self, attempt: &Attempt) {
        let &Attempt {
            thief,
            victim,
            target,
        } = attempt;
        self.execution.totals.steal += 1;
        let deque = &mut self.deques[victim];
        let is_there = match self.machine.pop_top {
            PopTop::Atomic => true,
            PopTop::Relaxed => target.is_some() && deque.top() == target,
        };
        let thread = if is_there { deque.pop_top() } else { None };
        self.hands[thief] = thread;
        self.execution.tell(Event::Asked { thief, victim });
        self.execution.served(thief, victim, thread);
    }
}
