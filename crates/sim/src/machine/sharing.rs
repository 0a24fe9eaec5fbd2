//! Work sharing, the paradigm that BL99 section 1 sets work stealing against.

use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};
use rand::RngExt;

use super::deque::Deque;
use super::execution::Execution;
use super::observe::Observer;
use super::outcome::MachineOutcome;
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
        while !run.execution.done {
            run.step(asking)?;
        }
        run.execution.finish()
    }
}

struct SharingRun<'a, U, O> {
    execution: Execution<'a, U, O>,
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
}

impl<'a, U: Unfold, O: Observer> SharingRun<'a, U, O> {
    fn new(processors: usize, computation: U, observer: &'a mut O) -> Self {
        let (execution, hands) = Execution::begin(computation, observer, processors);
        let deques = vec![Deque::new(); processors];
        Self {
            execution,
            hands,
            deques,
        }
    }

    fn step(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        for (hand, deque) in self.hands.iter_mut().zip(&mut self.deques) {
            if hand.is_none() {
                *hand = deque.pop_bottom();
            }
        }
        self.execution.step(&self.hands, &self.deques)?;
        for processor in 0..self.hands.len() {
            match self.hands[processor] {
                Some(thread) => self.work(processor, thread, asking),
                None => self.execution.idle(processor..processor + 1),
            }
        }
        Ok(())
    }

    fn work(&mut self, processor: usize, thread: ThreadId, asking: &mut Stream) {
        let execution = &mut self.execution;
        let executed = execution.execute(processor, thread);
        for other in execution.enabled.drain(..) {
            self.deques[execution.homes.home(other)].push_bottom(other);
        }
        match executed {
            Executed::Continues => {}
            Executed::Spawns(child) => self.share(child, asking),
            Executed::Stalls | Executed::Dies(_) => self.hands[processor] = None,
        }
    }

    /// Puts a new thread on a random processor.
    fn share(&mut self, child: ThreadId, asking: &mut Stream) {
        let place = asking.random_range(0..self.hands.len());
        self.execution.fetch(child, place);
        // A thread that is not ready yet is put into the deque when it is enabled.
        if self.execution.computation.is_ready(child) {
            self.deques[place].push_bottom(child);
        }
    }
}
