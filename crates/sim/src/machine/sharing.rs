//! Work sharing, the paradigm that BL99 section 1 sets work stealing against.

use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};
use rand::RngExt;

use super::communication::Homes;
use super::deque::Deque;
use super::observe::{Event, MachineView, Observer, tell_work};
use super::outcome::{LivingSpace, MachineOutcome};
use super::violation::Violation;

/// Every new thread goes to a processor that is chosen uniformly at random.
///
/// BL99 describes work sharing in a sentence: whenever a processor makes new threads, the scheduler
/// tries to move some to processors that may have less to do, and it does so even while all
/// processors have work. Here a processor that spawns goes on with the parent, and the child goes
/// with its frame to any of the P processors, its own included. A processor works on the threads
/// that it has, last in, first out. A thread that is enabled stays where its frame is.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// P.
    pub processors: usize,
}

impl Sharing {
    /// Runs any computation. `asking` chooses the processors of new threads.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut run = SharingRun::new(self.processors, computation, observer);
        while !run.done {
            run.step(asking)?;
        }
        let outcome = MachineOutcome {
            peak_space: run.space.peak,
            ..run.totals
        };
        run.observer.finished(&outcome)?;
        Ok(outcome)
    }
}

struct SharingRun<'a, U, O> {
    computation: U,
    observer: &'a mut O,
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
    homes: Homes,
    enabled: Vec<ThreadId>,
    space: LivingSpace,
    totals: MachineOutcome,
    /// The root has died.
    done: bool,
}

impl<'a, U: Unfold, O: Observer> SharingRun<'a, U, O> {
    fn new(processors: usize, computation: U, observer: &'a mut O) -> Self {
        let root = computation.root();
        let mut hands = vec![None; processors];
        hands[0] = Some(root);
        Self {
            hands,
            deques: vec![Deque::new(); processors],
            homes: Homes::of(root),
            enabled: Vec::new(),
            space: LivingSpace::of(computation.frame(root)),
            totals: MachineOutcome::default(),
            done: false,
            computation,
            observer,
        }
    }

    fn step(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        self.totals.time += 1;
        for (hand, deque) in self.hands.iter_mut().zip(&mut self.deques) {
            if hand.is_none() {
                *hand = deque.pop_bottom();
            }
        }
        if O::WATCHES {
            self.observer.begins(&MachineView {
                step: self.totals.time,
                hands: &self.hands,
                deques: &self.deques,
            })?;
        }
        for processor in 0..self.hands.len() {
            match self.hands[processor] {
                Some(thread) => self.work(processor, thread, asking),
                None => {
                    self.totals.idle += 1;
                    if O::WATCHES {
                        self.observer.happened(&Event::Idled { processor });
                    }
                }
            }
        }
        Ok(())
    }

    fn work(&mut self, processor: usize, thread: ThreadId, asking: &mut Stream) {
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
        for other in self.enabled.drain(..) {
            self.deques[self.homes.home(other)].push_bottom(other);
        }
        match executed {
            Executed::Continues => {}
            Executed::Spawns(child) => self.share(processor, child, asking),
            Executed::Stalls => self.hands[processor] = None,
            Executed::Dies(parent) => {
                self.space.died(self.computation.frame(thread));
                self.hands[processor] = None;
                match parent {
                    Some(parent) => {
                        self.totals.communication += self.homes.message(parent, processor);
                    }
                    None => self.done = true,
                }
            }
        }
    }

    /// Puts a new thread on a random processor.
    fn share(&mut self, processor: usize, child: ThreadId, asking: &mut Stream) {
        let frame = self.computation.frame(child);
        self.space.born(frame);
        self.homes.born(child, processor);
        let place = asking.random_range(0..self.hands.len());
        self.totals.communication += self.homes.fetch(child, place, frame);
        // A thread that is not ready yet is put into the deque when it is enabled.
        if self.computation.is_ready(child) {
            self.deques[place].push_bottom(child);
        }
    }
}
