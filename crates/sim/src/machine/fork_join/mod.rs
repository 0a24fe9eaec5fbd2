//! Fork-join as runtimes have it: children are stolen, and a frame stays on the stack it began on.
//!
//! BL99's machine steals *continuations*: a processor goes on with the child, and a thief takes the
//! parent, whose frame can move. A runtime that is a library steals *children*. How a fully strict
//! computation maps onto that:
//!
//! * A thread of the computation is a **task**. A spawn puts the child into the deque of the
//!   processor, and the parent goes on.
//! * At a join the processor takes back what the parent spawned last and runs it on top of the
//!   parent's frame. So `join(a, b)` is a thread that spawns b, then a, and joins.
//! * A **worker** is a thread of the operating system, which means a stack. The frame of a task
//!   lies on it from the task's first instruction to its last and cannot move.
//! * A **seat** is the right to run, with a deque: what BL99 calls a processor. A worker without a
//!   seat sleeps.
//!
//! A frame *waits* if it joins with children that were stolen. Thieves take the oldest task of a
//! deque first, so a worker that begins to wait has an empty deque. The [`Rule`] says what it may
//! do then; `docs/waiting.md` says what each rule promises, and why.

mod costs;
mod rule;
mod run;
mod seat;
mod seating;
mod stolen;
mod tasks;
mod worker;

pub use costs::Costs;
pub use rule::{Reach, Rule, WayBack};

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::Unfold;

use super::observe::Observer;
use super::outcome::MachineOutcome;
use super::violation::Violation;

/// P processors, as many seats, and workers that sit in them.
///
/// In a step every processor serves one seat: its worker executes an instruction, makes a steal
/// attempt or waits. If there are more seats than processors, they take turns. Seats are served in
/// the order of their numbers; deque operations are atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkJoin {
    /// P.
    pub processors: usize,
    /// What a waiting worker may do.
    pub rule: Rule,
    /// How a worker without frames chooses a victim.
    pub victim: Victim,
    /// What moving work and waking workers costs.
    pub costs: Costs,
    /// How many workers there may be, with and without a seat; at least P.
    pub workers: usize,
}

impl ForkJoin {
    /// Runs a fully strict computation whose threads join only when they end.
    pub fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        asking: &mut Stream,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        run::ForkJoinRun::new(self, computation, observer).run(asking)
    }
}
