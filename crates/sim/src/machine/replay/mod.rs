//! A recorded computation, replayed in continuous time on P processors by the rule `hand-over`.
//!
//! [`ForkJoin`](super::ForkJoin) runs instructions that take a step each. Here a strand takes as
//! long as it was recorded to take, and forks, steals and wake-ups take [`Prices`] in time. The
//! words are those of `docs/waiting.md`: a worker is a stack of frames, a seat is the right to run,
//! with a deque, and there are P seats.
//!
//! What differs from the machine in steps:
//!
//! * Time goes from event to event, so that a run costs as much as it has forks, however long its
//!   strands are.
//! * A thief looks at all deques in turn, as those of the runtime do: if there is a task anywhere,
//!   its attempt succeeds. Which of the deques that have one it comes to is random. A worker that
//!   is idle and has not searched for longer than [`Prices::search`] is awake.
//! * A child may be spawned into a scope that another task has opened. The worker that spawned it
//!   runs it before it steals.
//! * Several callers enter the machine from outside, each at times of its own.
//!
//! ```
//! use filch_profile::{Dag, Duration, SiteId, Step, Task};
//! use filch_random::Seed;
//! use filch_sim::machine::replay::{Caller, Entry, Prices, Replay, Script};
//!
//! let mut dag = Dag::default();
//! let leaf = dag.add(Task::new(vec![Step::Work(Duration::from_nanos(100))]));
//! let join = Step::Join { site: SiteId(0), first: leaf, second: leaf };
//! let root = dag.add(Task::new(vec![join]));
//! let script = Script::of(&dag, Duration::ZERO, Duration::ZERO);
//! let caller = Caller(vec![Entry { after: Duration::ZERO, root, is_awaited: true }]);
//! let one = Replay { processors: 1, workers: 4, prices: Prices::NONE, rested: false };
//! let two = Replay { processors: 2, ..one };
//! let time = |replay: Replay| replay.run(&script, &[caller.clone()], Seed::new(1), 0).time;
//! assert_eq!(time(one), Duration::from_nanos(200));
//! assert_eq!(time(two), Duration::from_nanos(100));
//! ```

mod callers;
mod deques;
mod frames;
mod prices;
mod roots;
mod run;
mod script;
mod seats;

pub use callers::{Caller, Entry};
pub use prices::Prices;
pub use script::Script;

use filch_profile::Duration;
use filch_random::Seed;
use filch_workload::streams::REQUESTS;

/// P processors that replay a recorded computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// P.
    pub processors: usize,
    /// How many workers there may be, with and without a seat; at least P.
    pub workers: usize,
    /// What moving work and waking workers costs.
    pub prices: Prices,
    /// Whether all workers sleep at the beginning.
    pub rested: bool,
}

/// What became of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// T_P: until all callers are done and all that they entered.
    pub time: Duration,
    /// How many tasks were taken from a deque by another worker than the one that forked them.
    pub steals: u64,
    /// How often a waiting worker handed its seat to another.
    pub hand_overs: u64,
    /// How many workers there were in the end.
    pub workers: u64,
}

impl Replay {
    /// Runs what the callers enter. The same seed and replication give the same values.
    ///
    /// # Panics
    ///
    /// If there is no processor, or an entry has a root that the script has not.
    pub fn run(
        &self,
        script: &Script,
        callers: &[Caller],
        seed: Seed,
        replication: u64,
    ) -> Replayed {
        assert!(self.processors > 0, "a machine has a processor");
        let victims = seed.stream(REQUESTS, replication, self.processors as u64);
        run::Run::new(self, script, callers, victims).run()
    }
}
