//! Work stealing on vertices: the loop of ABP01.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::deque::Deque;
use super::next::Next;
use super::observe::{Event, Observer, View, tell_work};
use super::outcome::{Outcome, Space};
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
    /// Whom a thief asks: ABP01's `randomWorker` may be oneself.
    pub victim: Victim,
}

impl VertexStealing {
    /// Runs a computation in which no instruction has more than two edges out.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<Outcome, Violation> {
        let mut run = Run::new(self, computation, observer);
        while !run.done {
            run.round(asking)?;
        }
        let outcome = Outcome {
            peak_space: run.space.peak,
            ..run.totals
        };
        observer.finished(&outcome)?;
        Ok(outcome)
    }
}

struct Run<'a, U, O> {
    machine: &'a VertexStealing,
    computation: U,
    observer: &'a mut O,
    /// The assigned vertices.
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
    /// Who has none in this round.
    thieves: Vec<usize>,
    enabled: Vec<ThreadId>,
    homes: Homes,
    space: Space,
    totals: Outcome,
    done: bool,
}

impl<'a, U: Unfold, O: Observer> Run<'a, U, O> {
    fn new(machine: &'a VertexStealing, computation: U, observer: &'a mut O) -> Self {
        let root = computation.root();
        let mut hands = vec![None; machine.processors];
        hands[0] = Some(root);
        Self {
            machine,
            observer,
            hands,
            deques: vec![Deque::new(); machine.processors],
            thieves: Vec::new(),
            enabled: Vec::new(),
            homes: Homes::of(root),
            space: Space::of(computation.frame(root)),
            totals: Outcome::default(),
            done: false,
            computation,
        }
    }

    fn round(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        self.totals.time += 1;
        if O::WATCHES {
            self.observer.begins(&View {
                step: self.totals.time,
                hands: &self.hands,
                deques: &self.deques,
            })?;
        }
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
        let deque = &mut self.deques[processor];
        while let Some(other) = self.enabled.pop() {
            let frame = self.computation.frame(other);
            self.totals.communication += self.homes.fetch(other, processor, frame);
            deque.push_bottom(other);
        }
        match executed {
            Executed::Continues => deque.push_bottom(thread),
            Executed::Spawns(child) => {
                self.space.born(self.computation.frame(child));
                self.homes.born(child, processor);
                let (first, last) = match self.machine.next {
                    Next::Continuation => (child, thread),
                    Next::Spawned => (thread, child),
                };
                deque.push_bottom(first);
                deque.push_bottom(last);
            }
            Executed::Stalls => {}
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
        self.hands[processor] = deque.pop_bottom();
    }

    fn attempt(&mut self, thief: usize, asking: &mut Stream) {
        self.totals.steal += 1;
        let victim = self.machine.victim.choose(thief, self.hands.len(), asking);
        let victim = victim.unwrap_or(thief);
        let thread = self.deques[victim].pop_top();
        self.hands[thief] = thread;
        if let Some(thread) = thread {
            let frame = self.computation.frame(thread);
            self.totals.steals += 1;
            self.totals.communication += self.homes.fetch(thread, thief, frame);
        }
        if O::WATCHES {
            self.observer.happened(&Event::Asked { thief, victim });
            self.observer.happened(&Event::Served {
                thief,
                victim,
                thread,
            });
        }
    }
}
