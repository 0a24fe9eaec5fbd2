//! A tree of forks that is split at random, with few long leaves.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// `uneven:LEAVES:SHORT:LONG`: a binary tree of threads with so many leaves, split at places that
/// look random; one leaf in a hundred is LONG instructions long, the others are SHORT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uneven {
    /// The leaves, at least 1.
    pub leaves: u32,
    /// The instructions of most leaves, at least 1.
    pub short: u32,
    /// The instructions of the others, at least 1.
    pub long: u32,
}

/// A thread of [`Uneven`].
#[derive(Clone, Copy, Debug)]
pub enum UnevenThread {
    #[doc(hidden)]
    Inner {
        first: u32,
        leaves: u32,
        at: UnevenFork,
    },
    #[doc(hidden)]
    Leaf { left: u32 },
}

/// How far an inner thread of [`Uneven`] has come.
#[derive(Clone, Copy, Debug)]
pub struct UnevenFork(Fork);

/// One leaf in so many is long.
const RARE: u64 = 100;

/// A number that looks random (Steele, Lea and Flood's SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Uneven {
    /// The subtree of `leaves` leaves that begins at leaf number `first`.
    fn subtree(&self, first: u32, leaves: u32) -> UnevenThread {
        match leaves {
            1 => UnevenThread::Leaf {
                left: self.grain(first),
            },
            _ => UnevenThread::Inner {
                first,
                leaves,
                at: UnevenFork(Fork::First),
            },
        }
    }

    fn grain(&self, leaf: u32) -> u32 {
        if mixed(u64::from(leaf)).is_multiple_of(RARE) {
            self.long
        } else {
            self.short
        }
    }

    /// How many leaves the first child of a subtree has: from 1 to all but one.
    fn split(first: u32, leaves: u32) -> u32 {
        let random = mixed(u64::from(first) << 32 | u64::from(leaves));
        1 + (random % u64::from(leaves - 1)) as u32
    }
}

impl Regular for Uneven {
    type Thread = UnevenThread;

    fn root(&self) -> UnevenThread {
        self.subtree(0, self.leaves)
    }

    #[inline]
    fn step(&self, thread: &mut UnevenThread) -> Step<UnevenThread> {
        match thread {
            UnevenThread::Leaf { left: 1 } => Step::End,
            UnevenThread::Leaf { left } => {
                *left -= 1;
                Step::Work
            }
            &mut UnevenThread::Inner {
                first,
                leaves,
                ref mut at,
            } => {
                let split = Self::split(first, leaves);
                at.0.step(
                    self.subtree(first, split),
                    self.subtree(first + split, leaves - split),
                )
            }
        }
    }

    fn measures(&self) -> Measures {
        /// What is known of a subtree, or where one begins.
        enum Open {
            Subtree { first: u32, leaves: u32, depth: u64 },
            Fork,
        }
        let (mut work, mut stack_depth) = (0, 0);
        let mut spans: Vec<u64> = Vec::new();
        let mut open = vec![Open::Subtree {
            first: 0,
            leaves: self.leaves,
            depth: 1,
        }];
        while let Some(next) = open.pop() {
            match next {
                Open::Subtree {
                    first,
                    leaves: 1,
                    depth,
                } => {
                    let grain = u64::from(self.grain(first));
                    work += grain;
                    stack_depth = stack_depth.max(depth);
                    spans.push(grain);
                }
                Open::Subtree {
                    first,
                    leaves,
                    depth,
                } => {
                    let split = Self::split(first, leaves);
                    work += Fork::INSTRUCTIONS;
                    open.push(Open::Fork);
                    for (first, leaves) in [(first + split, leaves - split), (first, split)] {
                        open.push(Open::Subtree {
                            first,
                            leaves,
                            depth: depth + 1,
                        });
                    }
                }
                Open::Fork => {
                    let [second, first] = [(); 2].map(|()| spans.pop().expect("both children"));
                    spans.push(Fork::span(first, second));
                }
            }
        }
        if self.leaves == 1 {
            return Measures::of_one_thread(work);
        }
        let threads = 2 * u64::from(self.leaves) - 1;
        Measures::of_regular(threads, work, spans[0], stack_depth)
    }
}
