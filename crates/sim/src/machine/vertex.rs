//! Work stealing on vertices: the loop of ABP01.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::deque::Deque;
use super::execution::Execution;
use super::next::Next;
use super::observe::{Event, Observer};
use super::outcome::MachineOutcome;
use super::violation::Violation;

/// ABP01's machine: a worker executes its assigned vertex, pushes what became ready, pops the
/// next; without an assigned vertex it makes one steal attempt a round, which succeeds or fails in
/// that round.
///
/// A ready vertex is the next instruction of a ready thread, so the deques hold threads here too.
/// In a round, first all assigned vertices are executed, then all attempts are made, each in the
/// order of the workers' numbers; deque operations are atomic. (ABP01 assumes for convenience that
/// the root vertex has one child; nothing here needs it.)
#[derive(Clone, Copy, Debug)]
pub struct VertexStealing {
    /// P.
    pub processors: usize,
    /// Which of two vertices comes first.
    pub next: Next,
    /// How a thief chooses a victim: ABP01's `randomWorker` may return the thief itself.
    pub victim: Victim,
}

impl VertexStealing {
    /// Runs a computation in which no instruction has more than two edges out.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut run = VertexRun::new(self, computation, observer);
        while !run.execution.done {
            run.round(asking)?;
        }
        run.execution.finish()
    }
}

struct VertexRun<'a, U, O> {
    machine: &'a VertexStealing,
    execution: Execution<'a, U, O>,
    /// The assigned vertices.
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
    /// The workers without an assigned vertex in this round.
    thieves: Vec<usize>,
}

impl<'a, U: Unfold, O: Observer> VertexRun<'a, U, O> {
    fn new(machine: &'a VertexStealing, computation: U, observer: &'a mut O) -> Self {
        let (execution, hands) = Execution::begin(computation, observer, machine.processors);
        Self {
            machine,
            execution,
            hands,
            deques: vec![Deque::new(); machine.processors],
            thieves: Vec::new(),
        }
    }

    fn round(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        self.execution.step(&self.hands, &self.deques)?;
        for processor in 0..self.hands.len() {
            match self.hands[processor] {
                Some(thread) => self.work(processor, thread),
                None => self.thieves.push(processor),
            }
        }
        let mut thieves = std::mem::take(&mut self.thieves);
        for thief in thieves.drain(..) {
            self.attempt(thief, asking);
        }
        self.thieves = thieves;
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

    fn attempt(&mut self, thief: usize, asking: &mut Stream) {
        self.execution.totals.steal += 1;
        let victim = self.machine.victim.choose(thief, self.hands.len(), asking);
        let victim = victim.unwrap_or(thief);
        let thread = self.deques[victim].pop_top();
        self.hands[thief] = thread;
        self.execution.tell(Event::Asked { thief, victim });
        self.execution.served(thief, victim, thread);
    }
}
