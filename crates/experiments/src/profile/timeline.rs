//! Which sections of a program run at the same time.

use filch_profile::{Duration, Profile};

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
