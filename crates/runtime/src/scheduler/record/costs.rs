//! What recording adds to the strands that it measures.

use std::hint::black_box;
use std::sync::OnceLock;

use filch_profile::Kind;

use super::clock::{Rate, Ticks, now};
use super::coarse::{self, Coarse};
use super::counted::{Forker, counted};
use super::join::{Join, JoinRecord as _};
use super::site::SiteKey;
use super::state::{Begins, State};

/// How often an empty join is recorded. The shortest counts.
const TRIALS: u32 = 2000;
const BATCHES: u32 = 10;

/// For each kind of strand, the time between the reading of the clock at its begin and that at its
/// end, if it does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    first: Ticks,
    second: Ticks,
    after_join: Ticks,
    other: Ticks,
    /// Of [`TRIALS`] forks that are counted and not timed: one takes few ticks.
    counted: Ticks,
    /// The most work after which forks may be counted.
    coarse_limit: Ticks,
}

impl Costs {
    /// Of this machine, measured once.
    pub(super) fn get() -> Self {
        static COSTS: OnceLock<Costs> = OnceLock::new();
        *COSTS.get_or_init(|| {
            if cfg!(test) {
                // The clock stands still.
                return Self {
                    coarse_limit: coarse::LIMIT,
                    ..Self::default()
                };
            }
            std::thread::spawn(Self::measure).join().unwrap_or_default()
        })
    }

    /// Records empty joins, on a thread of its own, whose records are thrown away.
    fn measure() -> Self {
        let key = SiteKey::of::<Self>(Kind::Join);
        let work = || State::with(|state| state.outermost_work()).unwrap_or_default();
        State::with(|state| state.begin_trial(&key));
        let (mut first, mut second, mut after_join) = (Ticks::MAX, Ticks::MAX, Ticks::MAX);
        let mut before = None;
        for _ in 0..TRIALS {
            let mut join = Join::at(&key);
            let begun = work();
            join.first_ended();
            let of_first = join.first_work();
            join.end();
            let ended = work();
            first = first.min(of_first);
            second = second.min(ended.saturating_sub(begun + of_first));
            if let Some(before) = before.replace(ended) {
                after_join = after_join.min(begun.saturating_sub(before));
            }
        }
        Self {
            first,
            second,
            after_join,
            other: Rate::get().reading,
            counted: Self::measure_counted(),
            coarse_limit: Rate::get().ticks_in_nanos(coarse::LIMIT),
        }
    }

    /// Counts forks of a site of no one's.
    fn measure_counted() -> Ticks {
        let key = SiteKey::of::<Self>(Kind::Join).hash;
        let batch = |_| {
            let coarse = Coarse::begin(key, Forker::NONE, TRIALS.into());
            let began = now();
            for _ in 0..TRIALS {
                if let Some(join) = counted::<Self>() {
                    let _ = black_box(join.origin());
                    join.end();
                }
            }
            let took = now().saturating_sub(began);
            let _counted = coarse.end();
            took
        };
        (0..BATCHES).map(batch).min().unwrap_or(0)
    }

    /// For trials: no closure is too large to be learnt from.
    pub(super) fn record_all(&mut self) {
        self.coarse_limit = Ticks::MAX;
    }

    /// Of so many forks that were counted.
    pub(super) fn counted(&self, forks: u64) -> Ticks {
        forks * self.counted / Ticks::from(TRIALS)
    }

    pub(super) fn coarse_limit(&self) -> Ticks {
        self.coarse_limit
    }

    #[inline]
    pub(super) fn of(&self, begins: Begins) -> Ticks {
        match begins {
            Begins::First => self.first,
            Begins::Second => self.second,
            Begins::AfterJoin => self.after_join,
            Begins::Other => self.other,
        }
    }

    /// What recording a join takes in all.
    pub(super) fn fork(&self) -> Ticks {
        self.first + self.second + self.after_join
    }
}
