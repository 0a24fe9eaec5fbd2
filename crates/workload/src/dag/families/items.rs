//! Items of unequal halves: what a scope, a parallel iterator and a nest of both are made of.

use std::fmt;

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// The computations whose items are `join(short, long)`.
///
/// An item is a thread that spawns a long leaf, then a short one, and joins with both. A runtime
/// that steals children runs the short leaf itself and offers the long one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// How the items come about.
    pub under: Under,
    /// The items, at least 1.
    pub items: u32,
    /// The instructions of the short leaf, at least 1.
    pub short: u32,
    /// The instructions of the long leaf, at least 1.
    pub long: u32,
    /// The size of an item's frame, at least 1: the plain calls between the item and its join.
    pub frame: u32,
}

/// What spawns the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// `items`: one thread spawns them all, as in a scope.
    Scope,
    /// `halving`: a balanced tree of forks, as in a parallel iterator.
    Halving,
    /// `nested`: a scope of so many scopes; each of them spawns `items` items.
    Scopes(u32),
}

/// A thread of [`Items`].
#[derive(Clone, Copy, Debug)]
pub enum ItemsThread {
    #[doc(hidden)]
    Spawns { left: u32, what: Spawned },
    #[doc(hidden)]
    Joins,
    #[doc(hidden)]
    Halves { items: u32, at: ItemsFork },
    #[doc(hidden)]
    Item { at: ItemsFork },
    #[doc(hidden)]
    Leaf { left: u32 },
}

/// What a thread of [`Items`] spawns one after the other.
#[derive(Clone, Copy, Debug)]
pub enum Spawned {
    #[doc(hidden)]
    Items,
    #[doc(hidden)]
    Scopes,
}

/// How far a thread of [`Items`] that forks has come.
#[derive(Clone, Copy, Debug)]
pub struct ItemsFork(Fork);

const BEGIN: ItemsFork = ItemsFork(Fork::First);

impl Items {
    fn halves(items: u32) -> ItemsThread {
        match items {
            1 => ItemsThread::Item { at: BEGIN },
            _ => ItemsThread::Halves { items, at: BEGIN },
        }
    }

    fn scope(&self) -> ItemsThread {
        ItemsThread::Spawns {
            left: self.items,
            what: Spawned::Items,
        }
    }

    /// Threads, work and span of a scope of `children` children of that span.
    fn scope_of(children: u64, threads: u64, work: u64, span: u64) -> [u64; 3] {
        // The spawns, the instruction between, the join.
        let alone = children + 2;
        [
            1 + children * threads,
            alone + children * work,
            (children + span + 1).max(alone),
        ]
    }

    /// Threads, work, span and forks above an item of a halving tree.
    fn halving_of(&self, items: u32, item: [u64; 3]) -> ([u64; 3], u64) {
        if items == 1 {
            return (item, 0);
        }
        let (large, small) = (items - items / 2, items / 2);
        let (first, deep) = self.halving_of(large, item);
        let (second, _) = if small == large {
            (first, deep)
        } else {
            self.halving_of(small, item)
        };
        let sum = [
            1 + first[0] + second[0],
            Fork::INSTRUCTIONS + first[1] + second[1],
            Fork::span(first[2], second[2]),
        ];
        (sum, deep + 1)
    }
}

impl Regular for Items {
    type Thread = ItemsThread;

    fn root(&self) -> ItemsThread {
        match self.under {
            Under::Scope => self.scope(),
            Under::Halving => Self::halves(self.items),
            Under::Scopes(scopes) => ItemsThread::Spawns {
                left: scopes,
                what: Spawned::Scopes,
            },
        }
    }

    #[inline]
    fn step(&self, thread: &mut ItemsThread) -> Step<ItemsThread> {
        match thread {
            ItemsThread::Leaf { left: 1 } | ItemsThread::Joins => Step::End,
            ItemsThread::Leaf { left } => {
                *left -= 1;
                Step::Work
            }
            ItemsThread::Spawns { left: 0, .. } => {
                *thread = ItemsThread::Joins;
                Step::ThenJoin
            }
            ItemsThread::Spawns { left, what } => {
                *left -= 1;
                Step::Spawn(match what {
                    Spawned::Items => ItemsThread::Item { at: BEGIN },
                    Spawned::Scopes => self.scope(),
                })
            }
            ItemsThread::Halves { items, at } => {
                let (large, small) = (*items - *items / 2, *items / 2);
                at.0.step(Self::halves(large), Self::halves(small))
            }
            ItemsThread::Item { at } => {
                let [long, short] = [self.long, self.short].map(|left| ItemsThread::Leaf { left });
                at.0.step(long, short)
            }
        }
    }

    #[inline]
    fn frame(&self, thread: &ItemsThread) -> u64 {
        match thread {
            ItemsThread::Item { .. } => u64::from(self.frame),
            _ => 1,
        }
    }

    fn measures(&self) -> Measures {
        let (short, long) = (u64::from(self.short), u64::from(self.long));
        let item = [
            3,
            Fork::INSTRUCTIONS + short + long,
            Fork::span(long, short),
        ];
        let scope = |[threads, work, span]: [u64; 3]| {
            Self::scope_of(u64::from(self.items), threads, work, span)
        };
        let ([threads, work, span], above) = match self.under {
            Under::Scope => (scope(item), 1),
            Under::Halving => self.halving_of(self.items, item),
            Under::Scopes(scopes) => {
                let [threads, work, span] = scope(item);
                let all = Self::scope_of(u64::from(scopes), threads, work, span);
                (all, 2)
            }
        };
        let frame = u64::from(self.frame);
        Measures {
            largest_frame: frame,
            ..Measures::of_regular(threads, work, span, above + frame + 1)
        }
    }
}

/// As it is typed.
impl fmt::Display for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            items,
            short,
            long,
            frame,
            ..
        } = self;
        match self.under {
            Under::Scope if *frame > 1 => write!(f, "deep:{items}:{frame}:{short}:{long}"),
            Under::Scope => write!(f, "items:{items}:{short}:{long}"),
            Under::Halving => write!(f, "halving:{items}:{short}:{long}"),
            Under::Scopes(scopes) => write!(f, "nested:{scopes}:{items}:{short}:{long}"),
        }
    }
}
