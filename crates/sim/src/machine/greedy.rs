//! A greedy schedule: BL99, Theorem 1.

use std::collections::VecDeque;

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::observe::{Event, MachineView, Observer, tell_work};
use super::outcome::{LivingSpace, MachineOutcome};
use super::violation::Violation;

/// In every step, P ready instructions are executed if there are so many, otherwise all.
///
/// The theorem leaves open which ones. Here it is those that have been ready longest. That is
/// breadth first and fair to all threads, and shows what the theorem does not promise: space.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    /// P.
    pub processors: usize,
}

impl Greedy {
    /// Runs any computation.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        mut computation: U,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let root = computation.root();
        let mut ready = VecDeque::from([root]);
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        let mut enabled = Vec::new();
        let mut space = LivingSpace::of(computation.frame(root));
        let mut totals = MachineOutcome::default();
        while !ready.is_empty() {
            totals.time += 1;
            let busy = ready.len().min(self.processors);
            hands[busy..].fill(None);
            for hand in &mut hands[..busy] {
                *hand = ready.pop_front();
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
                match executed {
                    Executed::Continues => ready.push_back(thread),
                    Executed::Spawns(child) => {
                        space.born(computation.frame(child));
                        ready.push_back(thread);
                        if computation.is_ready(child) {
                            ready.push_back(child);
                        }
                    }
                    Executed::Stalls => {}
                    Executed::Dies(_) => space.died(computation.frame(thread)),
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
