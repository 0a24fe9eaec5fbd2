//! Which sections of a program run at the same time.

use std::collections::BTreeMap;

use filch_profile::{Duration, Profile, TaskId};

/// A program as phases that follow one another, with serial time between them.
///
/// Sections that overlap form a phase. What runs before, between and after phases is serial, and
/// takes the same time on any number of processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The time in no section.
    pub serial: Duration,
    /// The phases in their order.
    pub phases: Vec<Phase>,
}

/// Sections that overlap in time, by their numbers in [`Profile::sections`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// When the first of them was entered.
    pub entered: Duration,
    /// The time in no section before that.
    pub after: Duration,
    /// The sections in the order in which they were entered.
    pub sections: Vec<usize>,
}

impl Phase {
    /// The sections of it that take longest one after the other, if a section takes what `length`
    /// says of its root. Those of one caller that waits for each follow one another; others can run
    /// at the same time.
    pub(crate) fn longest_chain(
        &self,
        profile: &Profile,
        length: impl Fn(TaskId) -> Duration,
    ) -> Chain {
        let mut alone: Vec<Chain> = Vec::new();
        let mut callers: BTreeMap<u32, Chain> = BTreeMap::new();
        for &number in &self.sections {
            let section = &profile.sections[number];
            let chain = if section.is_awaited {
                callers.entry(section.caller).or_default()
            } else {
                alone.push(Chain::default());
                alone.last_mut().expect("it was just put there")
            };
            chain.length += length(section.root);
            chain.sections.push(number);
        }
        let chains = callers.into_values().chain(alone);
        chains.max_by_key(|chain| chain.length).unwrap_or_default()
    }
}

/// Sections that follow one another, by their numbers in [`Profile::sections`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// How long they take together.
    pub(crate) length: Duration,
    /// The sections.
    pub(crate) sections: Vec<usize>,
}

impl Timeline {
    /// The phases of a recorded run.
    pub fn of(profile: &Profile) -> Self {
        let mut order: Vec<usize> = (0..profile.sections.len()).collect();
        order.sort_by_key(|&section| profile.sections[section].entered);
        let mut phases: Vec<Phase> = Vec::new();
        let (mut left, mut serial) = (Duration::ZERO, Duration::ZERO);
        for number in order {
            let section = &profile.sections[number];
            match phases.last_mut() {
                Some(phase) if section.entered < left => phase.sections.push(number),
                _ => {
                    let after = section.entered - left;
                    serial += after;
                    phases.push(Phase {
                        entered: section.entered,
                        after,
                        sections: vec![number],
                    });
                }
            }
            left = left.max(section.left);
        }
        serial += profile.program.wall - left;
        Self { serial, phases }
    }
}
