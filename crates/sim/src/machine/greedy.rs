//! A greedy schedule: BL99, Theorem 1.

use std::collections::VecDeque;

use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::observe::{Event, MachineView, Observer, tell_work};
use super::order::Order;
use super::outcome::{LivingSpace, MachineOutcome};
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
        mut computation: U,
        choosing: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let root = computation.root();
        let mut ready = VecDeque::from([root]);
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        let mut enabled = Vec::new();
        let mut homes = Homes::of(root);
        let mut space = LivingSpace::of(computation.frame(root));
        let mut totals = MachineOutcome::default();
        while !ready.is_empty() {
            totals.time += 1;
            let busy = ready.len().min(self.processors);
            hands[busy..].fill(None);
            for hand in &mut hands[..busy] {
                *hand = self.order.take(&mut ready, choosing);
            }
            if O::WATCHES {
                observer.begins(&MachineView {
                    step: totals.time,
                    hands: &hands,
                    deques: &[],
                })?;
            }
            for (processor, hand) in hands.iter().enumerate().take(busy) {
                let thread = hand.expect("as many as were ready");
                let executed = computation.execute(thread, &mut enabled);
                tell_work(
                    observer,
                    &computation,
                    processor,
                    thread,
                    executed,
                    &enabled,
                );
                let frame = computation.frame(thread);
                totals.communication += homes.fetch(thread, processor, frame);
                for &other in computation.joined() {
                    totals.communication += homes.message(other, processor);
                }
                match executed {
                    Executed::Continues => ready.push_back(thread),
                    Executed::Spawns(child) => {
                        space.born(computation.frame(child));
                        homes.born(child, processor);
                        ready.push_back(thread);
                        if computation.is_ready(child) {
                            ready.push_back(child);
                        }
                    }
                    Executed::Stalls => {}
                    Executed::Dies(parent) => {
                        space.died(frame);
                        let told = parent.map(|parent| homes.message(parent, processor));
                        totals.communication += told.unwrap_or(0);
                    }
                }
                ready.extend(enabled.drain(..));
            }
            totals.work += busy as u64;
            totals.idle += (self.processors - busy) as u64;
            if O::WATCHES {
                for processor in busy..self.processors {
                    observer.happened(&Event::Idled { processor });
                }
            }
        }
        totals.peak_space = space.peak;
        observer.finished(&totals)?;
        Ok(totals)
    }
}
