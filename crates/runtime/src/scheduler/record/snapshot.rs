//! A profile of what the store has.

use std::sync::{Mutex, PoisonError};

use filch_profile::{
    Dag, Duration, Ending, Measures, Profile, Program, Recording, Section, Site, Stretch, Task,
    Usage,
};

use super::clock::{Ticks, now};
use super::costs::Costs;
use super::sites::Unnamed;
use super::store::Store;
use super::usage::usage;

/// How many recordings are under way. They share the store.
static RECORDINGS: Mutex<u32> = Mutex::new(0);

/// When a recording began, and what the process had used until then.
pub(super) struct Began {
    at: Ticks,
    usage: Option<Usage>,
}

/// Begins a recording.
pub(super) fn begin() -> Began {
    // Before the lock: another thread is started.
    let _measured = Costs::get();
    let mut recordings = RECORDINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if *recordings == 0 {
        Store::begin();
    }
    *recordings += 1;
    Began {
        at: now(),
        usage: Store::with(|store| used(store)),
    }
}

/// What the program has used.
fn used(store: &Store) -> Option<Usage> {
    usage().map(|usage| usage - store.of_recorder)
}

/// Ends the recording that began then.
pub(super) fn end(began: &Began) -> Profile {
    let mut recordings = RECORDINGS.lock().unwrap_or_else(PoisonError::into_inner);
    *recordings -= 1;
    let take = |store: &Store| {
        let from = store.timeline.at(began.at, store.rate());
        (Snapshot::of(store, 0, 0, 0).with_stretches(store), from)
    };
    let (snapshot, from) = if *recordings == 0 {
        take(&Store::end())
    } else {
        Store::with(|store| take(store))
    };
    drop(recordings);
    snapshot.into_profile(from, began.usage)
}

/// A pool of that many workers is used.
pub(super) fn pool_used(workers: usize) {
    if super::store::epoch() != 0 {
        Store::with(|store| store.threads = store.threads.max(workers as u32));
    }
}

/// What the store has from some site, task and section on.
pub(super) struct Snapshot {
    pub(super) program: Program,
    pub(super) recording: Recording,
    unnamed: Vec<Unnamed>,
    pub(super) forks: Vec<(u64, u64)>,
    pub(super) tasks: Vec<(Task, Measures)>,
    pub(super) sections: Vec<Section>,
    pub(super) stretches: Vec<Stretch>,
}

impl Snapshot {
    pub(super) fn of(store: &Store, sites: usize, tasks: usize, sections: usize) -> Self {
        let (rate, costs) = (store.rate(), Costs::get());
        // At the begin and the end of three strands.
        let readings = 6 * rate.reading;
        Self {
            program: Program {
                command: std::env::args_os()
                    .map(|word| word.to_string_lossy().into_owned())
                    .collect(),
                threads: store.threads,
                processors: std::thread::available_parallelism()
                    .map_or(1, |processors| processors.get() as u32),
                wall: store.timeline.at(now(), rate),
                usage: used(store),
            },
            recording: Recording {
                ending: Ending::Whole,
                clock: rate.duration(rate.reading),
                fork: rate.duration(costs.fork().saturating_sub(readings)),
                spent: rate.duration(store.spent),
                tolerance: store.tolerance(),
                stretches_kept: store.stretches_kept(0),
            },
            unnamed: store.sites.from(sites),
            forks: store.sites.forks().collect(),
            tasks: store.tasks[tasks.min(store.tasks.len())..].to_vec(),
            sections: store.sections[sections..].to_vec(),
            stretches: Vec::new(),
        }
    }

    pub(super) fn with_stretches(mut self, store: &Store) -> Self {
        self.stretches = store.stretches.all(store.rate(), &store.timeline);
        self.recording.stretches_kept = store.stretches_kept(self.stretches.len());
        self
    }

    /// Adds the sites to those before them, with names.
    pub(super) fn name_sites(&self, earlier: &mut Vec<Site>) {
        for unnamed in &self.unnamed {
            let named = unnamed.name(earlier);
            earlier.push(named);
        }
    }

    /// All of it, as far as it was entered after the recording had gone on for that long and the
    /// process had used that much.
    fn into_profile(self, from: Duration, used_before: Option<Usage>) -> Profile {
        let mut sites = Vec::new();
        self.name_sites(&mut sites);
        let mut dag = Dag::default();
        for (task, measures) in self.tasks {
            dag.add_measured(task, measures);
        }
        let mut sections = self.sections;
        sections.retain(|section| section.entered >= from);
        for section in &mut sections {
            section.entered = section.entered - from;
            section.left = section.left - from;
        }
        sections.sort_by_key(|section| section.entered);
        let mut stretches = self.stretches;
        for stretch in &mut stretches {
            for time in [&mut stretch.forked, &mut stretch.began, &mut stretch.ended] {
                *time = *time - from;
            }
        }
        let usage = self.program.usage.zip(used_before);
        Profile {
            program: Program {
                wall: self.program.wall - from,
                usage: usage.map(|(until, before)| until - before),
                ..self.program
            },
            recording: self.recording,
            sites,
            dag,
            sections,
            stretches,
        }
    }
}
