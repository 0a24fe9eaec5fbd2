//! Parts of a sweep, for several machines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use super::plan::Plan;

/// One of several parts of a sweep: `3/200`. Every point belongs to one of them whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// The whole sweep.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// The most parts.
    pub const MOST: u64 = 1_000_000;

    /// Part `number` of `of`, counted from 1; `None` if there is no such part.
    pub fn new(number: u64, of: u64) -> Option<Self> {
        let fits = (1..=Self::MOST).contains(&of) && (1..=of).contains(&number);
        fits.then_some(Self { number, of })
    }

    /// Its number, from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> u64 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| -> Option<u64> {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let parts = text.split_once('/');
        let parts = parts.and_then(|(part, of)| Self::new(number(part)?, number(of)?));
        parts.ok_or_else(|| {
            format!(
                "'{}' is not K/N with K from 1 to N and N up to {}: write 3/200",
                text.escape_debug(),
                Self::MOST
            )
        })
    }
}

impl Plan {
    /// The points that belong to `shard`, in order.
    ///
    /// Shards take about equally long. Points are dealt out by their [weight](Plan::weight), the
    /// heaviest first and equal ones by their numbers, each to the shard with the least weight so
    /// far, or to the first of several.
    pub fn points_of(&self, shard: Shard) -> Vec<u64> {
        let mut order: Vec<u64> = (0..self.points()).collect();
        order.sort_by(|&first, &second| {
            let by_weight = self.weight(second).total_cmp(&self.weight(first));
            by_weight.then(first.cmp(&second))
        });
        let mut loads: BinaryHeap<_> = (1..=shard.of)
            .map(|number| Reverse((Weight(0.0), number)))
            .collect();
        let mut points = Vec::new();
        for point in order {
            let Some(Reverse((Weight(load), number))) = loads.pop() else {
                break;
            };
            if number == shard.number {
                points.push(point);
            }
            loads.push(Reverse((Weight(load + self.weight(point)), number)));
        }
        points.sort_unstable();
        points
    }
}

#[derive(PartialEq)]
struct Weight(f64);

impl Eq for Weight {}

impl PartialOrd for Weight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Weight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
