//! Work stealing on vertices: the loop of ABP01.

use std::fmt;
use std::str::FromStr;

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::communication::Homes;
use super::deque::Deque;
use super::observe::{Event, Observer, View};
use super::outcome::{Outcome, Space};
use super::violation::Violation;

/// Which of two vertices that become ready together is pushed last and so executed next. ABP01's
/// analysis holds for any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The next instruction of the same thread, as programs at the granularity of threads do.
    #[default]
    Continuation,
    /// The first instruction of the new thread, as BL99 does.
    Spawned,
}

impl Next {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Continuation, Self::Spawned];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continuation => "continuation",
            Self::Spawned => "spawned",
        }
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Next {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| {
            format!(
                "unknown order '{}': use continuation or spawned",
                name.escape_debug()
            )
        })
    }
}

/// ABP01's machine: a worker executes its assigned vertex, pushes what became ready, pops the
/// next; without an assigned vertex it makes one steal attempt a round, which succeeds or fails in
/// that round.
///
/// A ready vertex is the next instruction of a ready thread, so the deques hold threads here too.
/// In a round, first all assigned vertices are executed, then all attempts are made, each in the
/// order of the workers' numbers; deque operations are atomic.
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
        mut computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<Outcome, Violation> {
        let root = computation.root();
        let mut hands: Vec<Option<ThreadId>> = vec![None; self.processors];
        hands[0] = Some(root);
        let mut deques = vec![Deque::new(); self.processors];
        let mut enabled = Vec::new();
        let mut homes = Homes::of(root);
        let mut space = Space::of(computation.frame(root));
        let mut totals = Outcome::default();
        let mut thieves = Vec::new();
        let mut done = false;
        while !done {
            totals.time += 1;
            if O::WATCHES {
                observer.begins(&View {
                    step: totals.time,
                    hands: &hands,
                    deques: &deques,
                })?;
            }
            for processor in 0..self.processors {
                let Some(thread) = hands[processor] else {
                    thieves.push(processor);
                    continue;
                };
                let executed = computation.execute(thread, &mut enabled);
                totals.work += 1;
                if O::WATCHES {
                    let frame = match executed {
                        Executed::Spawns(child) => computation.frame(child),
                        _ => 0,
                    };
                    observer.happened(&Event::Worked {
                        processor,
                        thread,
                        executed,
                        frame,
                        enabled: &enabled,
                    });
                }
                for &other in computation.joined() {
                    totals.communication += homes.message(other, processor);
                }
                let deque = &mut deques[processor];
                for other in enabled.drain(..) {
                    totals.communication += homes.fetch(other, processor, computation.frame(other));
                    deque.push_bottom(other);
                }
                match executed {
                    Executed::Continues => deque.push_bottom(thread),
                    Executed::Spawns(child) => {
                        space.born(computation.frame(child));
                        homes.born(child, processor);
                        let (first, last) = match self.next {
                            Next::Continuation => (child, thread),
                            Next::Spawned => (thread, child),
                        };
                        deque.push_bottom(first);
                        deque.push_bottom(last);
                    }
                    Executed::Stalls => {}
                    Executed::Dies(parent) => {
                        space.died(computation.frame(thread));
                        match parent {
                            Some(parent) => {
                                totals.communication += homes.message(parent, processor)
                            }
                            None => done = true,
                        }
                    }
                }
                hands[processor] = deque.pop_bottom();
            }
            for thief in thieves.drain(..) {
                totals.steal += 1;
                let victim = self.victim.choose(thief, self.processors, asking);
                let victim = victim.unwrap_or(thief);
                let thread = deques[victim].pop_top();
                hands[thief] = thread;
                if let Some(thread) = thread {
                    totals.steals += 1;
                    totals.communication += homes.fetch(thread, thief, computation.frame(thread));
                }
                if O::WATCHES {
                    observer.happened(&Event::Asked { thief, victim });
                    observer.happened(&Event::Served {
                        thief,
                        victim,
                        thread,
                    });
                }
            }
        }
        totals.peak_space = space.peak;
        observer.finished(&totals)?;
        Ok(totals)
    }
}
