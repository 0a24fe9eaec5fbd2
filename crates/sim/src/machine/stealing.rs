//! Randomised work stealing on threads: BL99 section 4, in the model of section 5.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::adversary::Adversary;
use super::communication::Homes;
use super::deque::Deque;
use super::observe::{Event, Observer, View, tell_work};
use super::outcome::{Outcome, Space};
use super::requests::Requests;
use super::violation::Violation;

/// The machine of BL99: a ready deque for each processor, thieves that ask at random, and an
/// adversary who makes them queue.
///
/// In a step, first every processor acts, in the order of their numbers: with a thread it executes
/// one instruction and follows the rules of section 4; without, it begins a steal attempt, or waits
/// for the one that it began. Then one request to each deque is served. A stolen thread is worked on
/// from the next step.
#[derive(Clone, Copy, Debug)]
pub struct Stealing {
    /// P.
    pub processors: usize,
    /// Who is served first.
    pub adversary: Adversary,
    /// Whom a thief asks. The analysis of section 5 throws requests at all P deques alike.
    pub victim: Victim,
}

impl Stealing {
    /// Runs a fully strict computation. `asking` decides whom thieves ask, `serving` is for an
    /// adversary who needs chance.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        serving: &mut Stream,
        observer: &mut O,
    ) -> Result<Outcome, Violation> {
        let mut run = Run::new(self, computation, observer);
        while !run.done {
            run.step(asking, serving)?;
        }
        let outcome = run.outcome();
        observer.finished(&outcome)?;
        Ok(outcome)
    }
}

struct Run<'a, U, O> {
    machine: &'a Stealing,
    computation: U,
    observer: &'a mut O,
    hands: Vec<Option<ThreadId>>,
    /// Whether a processor has a request out.
    waits: Vec<bool>,
    deques: Vec<Deque>,
    requests: Requests,
    enabled: Vec<ThreadId>,
    homes: Homes,
    space: Space,
    totals: Outcome,
    done: bool,
}

impl<'a, U: Unfold, O: Observer> Run<'a, U, O> {
    fn new(machine: &'a Stealing, computation: U, observer: &'a mut O) -> Self {
        let root = computation.root();
        let mut hands = vec![None; machine.processors];
        hands[0] = Some(root);
        Self {
            machine,
            observer,
            hands,
            waits: vec![false; machine.processors],
            deques: vec![Deque::new(); machine.processors],
            requests: Requests::new(machine.processors, machine.adversary),
            enabled: Vec::new(),
            homes: Homes::of(root),
            space: Space::of(computation.frame(root)),
            totals: Outcome::default(),
            done: false,
            computation,
        }
    }

    fn step(&mut self, asking: &mut Stream, serving: &mut Stream) -> Result<(), Violation> {
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
                None if self.waits[processor] => {
                    self.totals.wait += 1;
                    self.tell(Event::Waited { thief: processor });
                }
                None => self.ask(processor, asking),
            }
        }
        self.serve(serving);
        Ok(())
    }

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
        // Rule 4, before rules 2 and 3 if they apply too.
        while let Some(other) = self.enabled.pop() {
            let frame = self.computation.frame(other);
            self.totals.communication += self.homes.fetch(other, processor, frame);
            deque.push_bottom(other);
        }
        match executed {
            Executed::Continues => {}
            // Rule 1.
            Executed::Spawns(child) => {
                self.space.born(self.computation.frame(child));
                self.homes.born(child, processor);
                deque.push_bottom(thread);
                self.hands[processor] = Some(child);
            }
            // Rule 2.
            Executed::Stalls => self.hands[processor] = deque.pop_bottom(),
            // Rule 3.
            Executed::Dies(parent) => {
                self.space.died(self.computation.frame(thread));
                match parent {
                    Some(parent) => {
                        self.totals.communication += self.homes.message(parent, processor);
                    }
                    None => self.done = true,
                }
                self.hands[processor] = deque.pop_bottom();
            }
        }
    }

    fn ask(&mut self, thief: usize, asking: &mut Stream) {
        self.totals.steal += 1;
        // A processor that has nobody to ask asks itself, and is told that there is nothing.
        let victim = self.machine.victim.choose(thief, self.hands.len(), asking);
        let victim = victim.unwrap_or(thief);
        self.requests.ask(thief, victim);
        self.waits[thief] = true;
        self.tell(Event::Asked { thief, victim });
    }

    fn serve(&mut self, serving: &mut Stream) {
        let Self {
            requests,
            deques,
            hands,
            waits,
            homes,
            totals,
            computation,
            observer,
            ..
        } = self;
        requests.serve(serving, |thief, victim| {
            let thread = deques[victim].pop_top();
            waits[thief] = false;
            hands[thief] = thread;
            if let Some(thread) = thread {
                totals.steals += 1;
                totals.communication += homes.fetch(thread, thief, computation.frame(thread));
            }
            if O::WATCHES {
                observer.happened(&Event::Served {
                    thief,
                    victim,
                    thread,
                });
            }
        });
    }

    fn tell(&mut self, event: Event<'_>) {
        if O::WATCHES {
            self.observer.happened(&event);
        }
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            peak_space: self.space.peak,
            ..self.totals
        }
    }
}
