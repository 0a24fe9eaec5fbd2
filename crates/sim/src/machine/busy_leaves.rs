//! The Busy-Leaves algorithm: BL99 section 3.

use std::collections::VecDeque;

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::execution::Execution;
use super::observe::Observer;
use super::outcome::MachineOutcome;
use super::violation::Violation;

/// One pool of living threads for all processors, and three rules that keep a processor at every
/// leaf of the spawn tree.
///
/// An idle processor takes the ready thread that has been in the pool (and ready) longest; the
/// paper leaves the choice open, and this one gives its Figure 2. Processors take and act in the
/// order of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct BusyLeaves {
    /// P.
    pub processors: usize,
}

impl BusyLeaves {
    /// Runs a strict computation.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let mut pool = Pool::default();
        pool.put(computation.root());
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        let mut execution = Execution::of(computation, observer);
        while !execution.done {
            for hand in hands.iter_mut().filter(|hand| hand.is_none()) {
                match pool.take() {
                    None => break,
                    ready => *hand = ready,
                }
            }
            execution.step(&hands, &[])?;
            for (processor, hand) in hands.iter_mut().enumerate() {
                let Some(thread) = *hand else {
                    execution.idle(processor..processor + 1);
                    continue;
                };
                execution.fetch(thread, processor);
                let executed = execution.execute(processor, thread);
                for other in execution.enabled.drain(..) {
                    pool.put(other);
                }
                match executed {
                    Executed::Continues => {}
                    // Rule 1.
                    Executed::Spawns(child) => {
                        pool.put(thread);
                        *hand = Some(child);
                    }
                    // Rule 2. The thread waits in the pool, where no processor can take it before
                    // it is enabled.
                    Executed::Stalls => *hand = None,
                    // Rule 3.
                    Executed::Dies(parent) => {
                        *hand = parent
                            .filter(|&parent| execution.computation.living_children(parent) == 0)
                            .filter(|&parent| pool.remove(parent));
                    }
                }
                if execution.done {
                    // The root outlives all other threads, so no processor has anything left to do.
                    execution.idle(processor + 1..self.processors);
                    break;
                }
            }
        }
        execution.finish()
    }
}

/// The ready threads of the pool, in the order in which they came. (A stalled thread is in the pool
/// too, but never needs to be found.)
#[derive(Debug, Default)]
struct Pool {
    /// Some entries may be of threads that were taken out of turn.
    queue: VecDeque<(ThreadId, u32)>,
    /// For each thread the number of its last entry, and whether it is in the pool.
    entries: Vec<(u32, bool)>,
    /// How many threads are in the pool.
    inside: usize,
}

impl Pool {
    fn put(&mut self, thread: ThreadId) {
        if self.entries.len() <= thread.index() {
            self.entries.resize(thread.index() + 1, (0, false));
        }
        let (number, inside) = &mut self.entries[thread.index()];
        *number = number.wrapping_add(1);
        *inside = true;
        self.queue.push_back((thread, *number));
        self.inside += 1;
        // Threads that were taken out of turn leave their entries behind. When those are the
        // majority they are removed, so that each costs constant time.
        if self.queue.len() > 2 * self.inside + 64 {
            let entries = &self.entries;
            self.queue
                .retain(|&(thread, number)| entries[thread.index()] == (number, true));
        }
    }

    fn take(&mut self) -> Option<ThreadId> {
        while let Some((thread, number)) = self.queue.pop_front() {
            if self.entries[thread.index()] == (number, true) {
                self.remove(thread);
                return Some(thread);
            }
        }
        None
    }

    /// Takes this thread, if it is there.
    fn remove(&mut self, thread: ThreadId) -> bool {
        let inside = std::mem::take(&mut self.entries[thread.index()].1);
        self.inside -= usize::from(inside);
        inside
    }
}
