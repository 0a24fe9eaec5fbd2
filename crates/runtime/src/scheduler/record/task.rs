//! Tasks while they are recorded.

use std::sync::Arc;

use super::class::Sums;
use super::clock::Ticks;
use super::node::Node;

/// A task in the tables: by its number in the store, or by its number among the tasks of the thread
/// that recorded it, as long as no other thread sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TaskRef(u32);

const LOCAL: u32 = 1 << 31;

impl TaskRef {
    /// In place of a task that is not known yet.
    pub(super) const UNKNOWN: Self = Self(u32::MAX);

    pub(super) fn of_store(number: u32) -> Self {
        debug_assert!(number < LOCAL, "the store is bounded");
        Self(number)
    }

    pub(super) fn of_thread(number: usize) -> Self {
        Self(number as u32 | LOCAL)
    }

    /// Its number among the tasks of the thread, or that in the store.
    pub(super) fn number(self) -> Result<usize, u32> {
        if self.0 & LOCAL == 0 {
            Err(self.0)
        } else {
            Ok((self.0 & !LOCAL) as usize)
        }
    }
}

/// As [`filch_profile::Step`], in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Work(Ticks),
    Join {
        site: u32,
        first: TaskRef,
        second: TaskRef,
    },
    Scope {
        site: u32,
        body: TaskRef,
    },
    Spawn {
        site: u32,
        child: TaskRef,
    },
}

impl Step {
    /// A join of two tasks that are alike.
    pub(super) fn join(site: u32, half: TaskRef) -> Self {
        Self::Join {
            site,
            first: half,
            second: half,
        }
    }

    /// What it adds to the shape of a task.
    pub(super) fn shape(self) -> u64 {
        match self {
            Self::Work(_) => 0,
            Self::Join { site, .. } => u64::from(site) << 2 | 1,
            Self::Scope { site, .. } => u64::from(site) << 2 | 2,
            Self::Spawn { site, .. } => u64::from(site) << 2 | 3,
        }
    }

    /// Its first or second child.
    pub(super) fn child_mut(&mut self, is_second: bool) -> Option<&mut TaskRef> {
        match self {
            Self::Work(_) => None,
            Self::Join { second, .. } if is_second => Some(second),
            Self::Join { first: child, .. }
            | Self::Scope { body: child, .. }
            | Self::Spawn { child, .. } => Some(child),
        }
    }
}

/// What is known of a task that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(super) task: TaskRef,
    pub(super) sums: Sums,
    /// How many jobs thieves ran in it.
    pub(super) steals: u64,
    /// If children of it have not ended that an outer scope waits for. Then only the path is known.
    pub(super) node: Option<Arc<Node>>,
}

impl Summary {
    /// Of a task of which nothing is known.
    pub(super) const NOTHING: Self = Self {
        task: TaskRef::UNKNOWN,
        sums: Sums {
            work: 0,
            span: 0,
            path: 0,
            forks: 0,
        },
        steals: 0,
        node: None,
    };
}
