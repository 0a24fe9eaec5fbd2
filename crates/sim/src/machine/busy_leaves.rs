//! The Busy-Leaves algorithm: BL99 section 3.

use std::collections::VecDeque;

use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::observe::{Event, MachineView, Observer, tell_work};
use super::outcome::{LivingSpace, MachineOutcome};
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
        mut computation: U,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let root = computation.root();
        let mut pool = Pool::default();
        pool.put(root);
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        let mut enabled = Vec::new();
        let mut homes = Homes::of(root);
        let mut space = LivingSpace::of(computation.frame(root));
        let mut totals = MachineOutcome::default();
        let mut done = false;
        while !done {
            totals.time += 1;
            for hand in hands.iter_mut().filter(|hand| hand.is_none()) {
                match pool.take() {
                    None => break,
                    ready => *hand = ready,
                }
            }
            if O::WATCHES {
                observer.begins(&MachineView {
                    step: totals.time,
                    hands: &hands,
                    deques: &[],
                })?;
            }
            for (processor, hand) in hands.iter_mut().enumerate() {
                let Some(thread) = *hand else {
                    totals.idle += 1;
                    if O::WATCHES {
                        observer.happened(&Event::Idled { processor });
                    }
                    continue;
                };
                let executed = computation.execute(thread, &mut enabled);
                totals.work += 1;
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
                for other in enabled.drain(..) {
                    pool.put(other);
                }
                match executed {
                    Executed::Continues => {}
                    // Rule 1.
                    Executed::Spawns(child) => {
                        space.born(computation.frame(child));
                        homes.born(child, processor);
                        pool.put(thread);
                        *hand = Some(child);
                    }
                    // Rule 2. The thread waits in the pool, where no processor can take it before
                    // it is enabled.
                    Executed::Stalls => *hand = None,
                    // Rule 3.
                    Executed::Dies(parent) => {
                        space.died(frame);
                        let told = parent.map(|parent| homes.message(parent, processor));
                        totals.communication += told.unwrap_or(0);
                        done = parent.is_none();
                        *hand = parent
                            .filter(|&parent| computation.living_children(parent) == 0)
                            .filter(|&parent| pool.remove(parent));
                    }
                }
                if done {
                    // The root outlives all other threads, so no processor has anything left to do.
                    totals.idle += (self.processors - processor - 1) as u64;
                    if O::WATCHES {
                        for processor in processor + 1..self.processors {
                            observer.happened(&Event::Idled { processor });
                        }
                    }
                    break;
                }
            }
        }
        totals.peak_space = space.peak;
        observer.finished(&totals)?;
        Ok(totals)
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
