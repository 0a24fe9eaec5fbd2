//! What a recorded program would do on other numbers of processors.

use std::collections::HashMap;

use filch_profile::{Duration, Profile, Section, TaskId};
use filch_random::Seed;
use filch_sim::machine::replay::{Caller, Entry, Prices, Replay, Replayed, Script};

use super::sizes::Sizes;
use super::timeline::{Phase, Timeline};
use crate::parallel;

/// A sub-computation with less than this share of all work is replayed as one strand.
pub const LEAST_SHARE: f64 = 1e-6;

/// A program is replayed until it has forked so often in all, and at most [`MOST_REPLAYS`] times.
const FORKS: u64 = 200_000;
const MOST_REPLAYS: u64 = 9;

/// The runtime starts at most so many threads for each worker, itself included, if it is not told
/// otherwise.
const THREADS_PER_WORKER: usize = 4;

/// The c of the bound T1/P + c·Tinf: the least constant that covers the runs of the rule
/// `hand-over` in the report is below it (`docs/waiting.md`).
pub const BOUND: u64 = 5;

/// The times of a program on several numbers of processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// One for each number of processors, in the order asked for.
    pub rows: Vec<Predicted>,
    /// T_1.
    pub serial_time: Duration,
    /// Sub-computations with less work than this were replayed as one strand.
    pub least: Duration,
    /// By how much that has lengthened the spans of all sections together. The bounds on T_P from
    /// below and above move by no more than this.
    pub lengthened: Duration,
}

/// What is predicted for one number of processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// P.
    pub processors: usize,
    /// T_P: the median of some replays with other victims, if the program has few forks. By which
    /// thief comes first, their times can differ by a tenth.
    pub time: Duration,
    /// T_1 / T_P.
    pub speed_up: f64,
    /// The speed-up for each processor.
    pub efficiency: f64,
    /// No schedule is shorter: the serial time, and for each phase the larger of its work over P
    /// and its longest span.
    pub least: Duration,
    /// The serial time and T1/P + c·Tinf, where c is [`BOUND`] and Tinf bears the burden of forks.
    pub bound: Duration,
    /// How many tasks thieves took.
    pub steals: u64,
    /// How often a waiting worker handed its processor over.
    pub hand_overs: u64,
}

impl Prediction {
    /// Replays a profile on each number of processors. Forks have no price in it: what they take is
    /// part of the recorded strands.
    pub fn of(profile: &Profile, prices: &Prices, processors: &[usize], seed: Seed) -> Self {
        let prices = &Prices {
            fork: Duration::ZERO,
            ..*prices
        };
        let sizes = Sizes::of(&profile.dag, prices.steal);
        let roots = || profile.sections.iter().map(|section| section.root);
        let work: Duration = roots().map(|root| sizes.get(root).work).sum();
        let least = Duration::from_picos((work.picos() as f64 * LEAST_SHARE) as u64);
        let program = ReplayedProgram {
            profile,
            sizes: &sizes,
            timeline: Timeline::of(profile),
            script: Script::of(&profile.dag, least, prices.fork),
            prices: *prices,
            seed,
        };
        let whole = Script::of(&profile.dag, Duration::ZERO, prices.fork);
        let lengthened = roots()
            .map(|root| program.script.span(root) - whole.span(root))
            .sum();
        // The largest take the longest: they come first.
        let mut asked: Vec<usize> = processors.to_vec();
        asked.push(1);
        asked.sort_unstable_by(|a, b| b.cmp(a));
        asked.dedup();
        let replays = replays(profile);
        let mut outcomes = parallel::map(asked.len() * replays, parallel::threads(), |number| {
            program.on(asked[number / replays], (number % replays) as u64)
        });
        let medians: Vec<Replayed> = outcomes
            .chunks_mut(replays)
            .map(|alike| {
                alike.sort_by_key(|outcome| outcome.time);
                alike[replays / 2]
            })
            .collect();
        let found = |wanted: usize| {
            let number = asked.iter().position(|&asked| asked == wanted);
            &medians[number.expect("it was asked for")]
        };
        let serial_time = found(1).time;
        let row = |&processors: &usize| {
            let outcome = found(processors);
            let speed_up = super::sites::ratio(serial_time, outcome.time);
            let (least, bound) = program.bounds(processors);
            Predicted {
                processors,
                time: outcome.time,
                speed_up,
                efficiency: speed_up / processors as f64,
                least,
                bound,
                steals: outcome.steals,
                hand_overs: outcome.hand_overs,
            }
        };
        Self {
            rows: processors.iter().map(row).collect(),
            serial_time,
            least,
            lengthened,
        }
    }
}

/// How often a program is replayed: an odd number.
fn replays(profile: &Profile) -> usize {
    let sections = profile.sections.iter();
    let forks: u64 = sections.map(|section| section.measures.forks).sum();
    let replays = (FORKS / forks.max(1)).clamp(1, MOST_REPLAYS);
    (replays - 1 + replays % 2) as usize
}

struct ReplayedProgram<'a> {
    profile: &'a Profile,
    sizes: &'a Sizes,
    timeline: Timeline,
    script: Script,
    prices: Prices,
    seed: Seed,
}

impl ReplayedProgram<'_> {
    /// The whole program on so many processors, with the victims of that replication.
    fn on(&self, processors: usize, replication: u64) -> Replayed {
        let mut sum = Replayed {
            time: self.timeline.serial,
            ..Replayed::default()
        };
        let mut alone: HashMap<(TaskId, bool), Replayed> = HashMap::new();
        for phase in &self.timeline.phases {
            let replay = Replay {
                processors,
                workers: processors.saturating_mul(THREADS_PER_WORKER),
                prices: self.prices,
                rested: phase.after > self.prices.search,
            };
            let run =
                |callers: &[Caller]| replay.run(&self.script, callers, self.seed, replication);
            let callers = || callers(phase, &self.profile.sections);
            let outcome = match phase.sections[..] {
                // Sections that are alike take the same time.
                [only] => {
                    let root = self.profile.sections[only].root;
                    let known = alone.entry((root, replay.rested));
                    *known.or_insert_with(|| run(&callers()))
                }
                _ => run(&callers()),
            };
            sum.time += outcome.time;
            sum.steals += outcome.steals;
            sum.hand_overs += outcome.hand_overs;
        }
        sum
    }

    /// The bounds from below and from above on so many processors.
    fn bounds(&self, processors: usize) -> (Duration, Duration) {
        let (mut least, mut most) = (self.timeline.serial, self.timeline.serial);
        for phase in &self.timeline.phases {
            let roots = phase.sections.iter();
            let roots = roots.map(|&section| self.profile.sections[section].root);
            let work: Duration = roots.map(|root| self.script.work(root)).sum();
            let longest = |length: &dyn Fn(TaskId) -> Duration| {
                phase.longest_chain(self.profile, length).length
            };
            let span = longest(&|root| self.script.span(root));
            let burdened = longest(&|root| self.sizes.get(root).burdened_span);
            most += Duration::from_picos(burdened.picos().saturating_mul(BOUND));
            let share = Duration::from_picos(work.picos() / processors as u64);
            least += share.max(span);
            most += share;
        }
        (least, most)
    }
}

/// The callers of a phase. Each enters its sections one after the other, with the time between them
/// that was recorded.
fn callers(phase: &Phase, sections: &[Section]) -> Vec<Caller> {
    let mut callers: Vec<(u32, Duration, Caller)> = Vec::new();
    for &number in &phase.sections {
        let section = &sections[number];
        let known = callers
            .iter_mut()
            .find(|(number, ..)| *number == section.caller);
        let (_, since, caller) = match known {
            Some(known) => known,
            None => {
                callers.push((section.caller, phase.entered, Caller::default()));
                callers.last_mut().expect("it was just put there")
            }
        };
        caller.0.push(Entry {
            after: section.entered - *since,
            root: section.root,
            is_awaited: section.is_awaited,
        });
        *since = if section.is_awaited {
            section.left
        } else {
            section.entered
        };
    }
    callers.into_iter().map(|(.., caller)| caller).collect()
}
