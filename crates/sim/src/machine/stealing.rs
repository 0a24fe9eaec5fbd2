//! Randomised work stealing on threads: BL99 section 4, in the model of section 5.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::adversary::Adversary;
use super::deque::Deque;
use super::execution::Execution;
use super::observe::{Event, Observer};
use super::outcome::MachineOutcome;
use super::requests::Requests;
use super::violation::Violation;

/// The machine of BL99: a ready deque for each processor, thieves that ask at random, and an
/// adversary that makes them queue.
///
/// In a step, first every processor acts, in the order of their numbers: with a thread it executes
/// one instruction and follows the rules of section 4; without, it begins a steal attempt, or waits
/// for the one that it began. Then one request to each deque is served. A stolen thread is worked
/// on from the next step.
#[derive(Clone, Copy, Debug)]
pub struct Stealing {
    /// P.
    pub processors: usize,
    /// Which request is served first.
    pub adversary: Adversary,
    /// How a thief chooses a victim. The analysis of section 5 throws requests at all P deques
    /// alike.
    pub victim: Victim,
}

impl Stealing {
    /// Runs a strict computation; BL99's theorems speak of fully strict ones. `asking` chooses
    /// victims, `serving` is for an adversary that draws at random.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        serving: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut run = StealingRun::new(self, computation, observer);
        while !run.execution.done {
            run.step(asking, serving)?;
        }
        run.execution.finish()
    }
}

struct StealingRun<'a, U, O> {
    machine: &'a Stealing,
    execution: Execution<'a, U, O>,
    hands: Vec<Option<ThreadId>>,
    /// Whether a processor has a request out.
    waits: Vec<bool>,
    deques: Vec<Deque>,
    requests: Requests,
}

impl<'a, U: Unfold, O: Observer> StealingRun<'a, U, O> {
    fn new(machine: &'a Stealing, computation: U, observer: &'a mut O) -> Self {
        let (execution, hands) = Execution::begin(computation, observer, machine.processors);
        Self {
            machine,
            execution,
            hands,
            waits: vec![false; machine.processors],
            deques: vec![Deque::new(); machine.processors],
            requests: Requests::new(machine.processors, machine.adversary),
        }
    }

    fn step(&mut self, asking: &mut Stream, serving: &mut Stream) -> Result<(), Violation> {
        self.execution.step(&self.hands, &self.deques)?;
        for processor in 0..self.hands.len() {
            match self.hands[processor] {
                Some(thread) => self.work(processor, thread),
                None if self.waits[processor] => {
                    self.execution.totals.wait += 1;
                    self.execution.tell(Event::Waited { thief: processor });
                }
                None => self.ask(processor, asking),
            }
        }
        self.serve(serving);
        Ok(())
    }

    #[inline]
    fn work(&mut self, processor: usize, thread: ThreadId) {
        let deque = &mut self.deques[processor];
        // Rule 4 is part of it, before rules 2 and 3 if they apply too.
        match self.execution.work(processor, thread, deque) {
            Executed::Continues => {}
            // Rule 1.
            Executed::Spawns(child) => {
                deque.push_bottom(thread);
                self.hands[processor] = Some(child);
            }
            // Rules 2 and 3.
            Executed::Stalls | Executed::Dies(_) => self.hands[processor] = deque.pop_bottom(),
        }
    }

    fn ask(&mut self, thief: usize, asking: &mut Stream) {
        self.execution.totals.steal += 1;
        // A processor without others asks itself, and is told that there is nothing.
        let victim = self.machine.victim.choose(thief, self.hands.len(), asking);
        let victim = victim.unwrap_or(thief);
        self.requests.ask(thief, victim);
        self.waits[thief] = true;
        self.execution.tell(Event::Asked { thief, victim });
    }

    fn serve(&mut self, serving: &mut Stream) {
        let Self {
            requests,
            deques,
            hands,
            waits,
            execution,
            ..
        } = self;
        requests.serve(serving, |thief, victim| {
            let thread = deques[victim].pop_top();
            waits[thief] = false;
            hands[thief] = thread;
            execution.served(thief, victim, thread);
        });
    }
}
