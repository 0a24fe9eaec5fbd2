//! A greedy schedule: BL99, Theorem 1.

use std::collections::VecDeque;

use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::execution::Execution;
use super::observe::Observer;
use super::order::Order;
use super::outcome::MachineOutcome;
use super::violation::Violation;

/// In every step, P ready instructions are executed if there are so many, otherwise all.
///
/// The theorem leaves open which ones; an [`Order`] says. The oldest ones, breadth first, show what
/// the theorem does not promise: space. Nor does it say which processor executes what: the first
/// processor takes the first instruction, and a thread's frame follows it from one to another.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    /// P.
    pub processors: usize,
    /// Which ready instructions come first.
    pub order: Order,
}

impl Greedy {
    /// Runs any computation. `choosing` is for an order that draws at random.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        choosing: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut ready = VecDeque::from([computation.root()]);
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        let mut execution = Execution::of(computation, observer);
        while !ready.is_empty() {
            let busy = ready.len().min(self.processors);
            hands[busy..].fill(None);
            for hand in &mut hands[..busy] {
                *hand = self.order.take(&mut ready, choosing);
            }
            execution.step(&hands, &[])?;
            for (processor, hand) in hands.iter().enumerate().take(busy) {
                let thread = hand.expect("as many as were ready");
                execution.fetch(thread, processor);
                match execution.execute(processor, thread) {
                    Executed::Continues => ready.push_back(thread),
                    Executed::Spawns(child) => {
                        ready.push_back(thread);
                        if execution.computation.is_ready(child) {
                            ready.push_back(child);
                        }
                    }
                    Executed::Stalls | Executed::Dies(_) => {}
                }
                ready.extend(execution.enabled.drain(..));
            }
            execution.idle(busy..self.processors);
        }
        execution.finish()
    }
}
