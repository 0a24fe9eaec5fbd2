//! Any bounded distribution of capacities, written out.

use std::fmt;
use std::num::NonZeroU32;

use crate::error::Invalid;
use crate::number::{self, Short};

/// A list of capacities with their weights: a capacity is drawn with probability proportional to
/// its weight.
///
/// There is at least one entry, no capacity is listed twice, and all weights are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityTable {
    entries: Vec<(NonZeroU32, f64)>,
}

impl CapacityTable {
    /// The table with these capacities and weights, kept in the given order.
    pub fn new(entries: impl IntoIterator<Item = (u32, f64)>) -> Result<Self, Invalid> {
        let given: Vec<_> = entries.into_iter().collect();
        let mut checked = Vec::with_capacity(given.len());
        let table = given.iter().try_for_each(|&(capacity, weight)| {
            checked.push((
                NonZeroU32::new(capacity).ok_or_else(|| bad_capacity(capacity))?,
                checked_weight(weight).ok_or_else(|| bad_weight(Short(weight)))?,
            ));
            Ok(())
        });
        table
            .and_then(|()| Self::checked(checked))
            .map_err(|needs| {
                let listed: Vec<_> = given
                    .iter()
                    .map(|(v, w)| format!("{v}={}", Short(*w)))
                    .collect();
                Invalid::value(listed.join(","), needs)
            })
    }

    /// Reads `V=W,V=W,…`; the error is what would be needed.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let entry = |text: &str| {
            let (capacity, weight) = text
                .split_once('=')
                .ok_or("write entries V=W, as in table:1=0.5,10=0.5")?;
            Ok::<_, String>((
                number::integer(capacity)
                    .and_then(NonZeroU32::new)
                    .ok_or_else(|| bad_capacity(capacity.escape_debug()))?,
                number::real(weight)
                    .and_then(checked_weight)
                    .ok_or_else(|| bad_weight(weight.escape_debug()))?,
            ))
        };
        Self::checked(text.split(',').map(entry).collect::<Result<_, _>>()?)
    }

    fn checked(entries: Vec<(NonZeroU32, f64)>) -> Result<Self, String> {
        if entries.is_empty() {
            return Err("a table needs at least one capacity".to_owned());
        }
        let mut capacities: Vec<_> = entries.iter().map(|(capacity, _)| *capacity).collect();
        capacities.sort_unstable();
        match capacities.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("the capacity {} is listed twice", pair[0])),
            None => Ok(Self { entries }),
        }
    }

    /// The capacities and their weights, in the order in which they were given.
    pub fn entries(&self) -> &[(NonZeroU32, f64)] {
        &self.entries
    }

    pub(super) fn mean(&self) -> f64 {
        self.average(|capacity| capacity)
    }

    pub(super) fn variance(&self) -> f64 {
        let mean = self.mean();
        self.average(|capacity| (capacity - mean).powi(2))
    }

    pub(super) fn max(&self) -> u32 {
        self.entries
            .iter()
            .map(|(capacity, _)| capacity.get())
            .max()
            .unwrap_or(1)
    }

    /// The capacities with their probabilities, up to a common factor that keeps sums finite: the
    /// largest becomes 1.
    pub(super) fn scaled(&self) -> impl Iterator<Item = (u32, f64)> {
        let largest = self
            .entries
            .iter()
            .map(|(_, weight)| *weight)
            .fold(0.0, f64::max);
        self.entries
            .iter()
            .map(move |(capacity, weight)| (capacity.get(), weight / largest))
    }

    fn average(&self, of: impl Fn(f64) -> f64) -> f64 {
        let (mut sum, mut whole) = (0.0, 0.0);
        for (capacity, weight) in self.scaled() {
            sum += weight * of(f64::from(capacity));
            whole += weight;
        }
        sum / whole
    }
}

fn checked_weight(weight: f64) -> Option<f64> {
    (weight > 0.0 && weight.is_finite()).then_some(weight)
}

fn bad_capacity(given: impl fmt::Display) -> String {
    format!("the capacity '{given}' must be an integer from 1 to 4294967295")
}

fn bad_weight(given: impl fmt::Display) -> String {
    format!("the weight '{given}' must be a number above 0")
}

impl fmt::Display for CapacityTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (capacity, weight)) in self.entries.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(f, "{separator}{capacity}={}", Short(*weight))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capacity;

    #[test]
    fn bad_tables_are_explained() {
        let cases = [
            (
                "table:3",
                "table:3: write entries V=W, as in table:1=0.5,10=0.5",
            ),
            (
                "table:",
                "'table:': write entries V=W, as in table:1=0.5,10=0.5",
            ),
            (
                "table:1=1,",
                "table:1=1,: write entries V=W, as in table:1=0.5,10=0.5",
            ),
            (
                "table:0=1",
                "table:0=1: the capacity '0' must be an integer from 1 to 4294967295",
            ),
            (
                "table:x=1",
                "table:x=1: the capacity 'x' must be an integer from 1 to 4294967295",
            ),
            (
                "table:1=0",
                "table:1=0: the weight '0' must be a number above 0",
            ),
            (
                "table:1=-1",
                "table:1=-1: the weight '-1' must be a number above 0",
            ),
            (
                "table:1=",
                "table:1=: the weight '' must be a number above 0",
            ),
            (
                "table:1=1e400",
                "table:1=1e400: the weight '1e400' must be a number above 0",
            ),
            (
                "table:1=1=1",
                "table:1=1=1: the weight '1=1' must be a number above 0",
            ),
            (
                "table:2=1,1=1,2=3",
                "table:2=1,1=1,2=3: the capacity 2 is listed twice",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<Capacity>().unwrap_err().to_string(), message);
        }
        let made = [
            (
                CapacityTable::new([]),
                "'': a table needs at least one capacity",
            ),
            (
                CapacityTable::new([(0, 1.0)]),
                "0=1: the capacity '0' must be an integer from 1 to 4294967295",
            ),
            (
                CapacityTable::new([(1, f64::NAN)]),
                "1=NaN: the weight 'NaN' must be a number above 0",
            ),
            (
                CapacityTable::new([(4, 1.0), (4, 2.0)]),
                "4=1,4=2: the capacity 4 is listed twice",
            ),
        ];
        for (table, message) in made {
            assert_eq!(table.unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn huge_weights_do_not_overflow() {
        let table = CapacityTable::new([(1, f64::MAX), (3, f64::MAX)]).unwrap();
        assert_eq!((table.mean(), table.variance(), table.max()), (2.0, 1.0, 3));
    }

    #[test]
    fn small_weights_count() {
        let table = CapacityTable::new([(1, 1.0), (1_000_001, 1e-6)]).unwrap();
        assert!((table.mean() - (1.0 + 1e6 * 1e-6 / (1.0 + 1e-6))).abs() < 1e-9);
    }

    #[test]
    fn only_the_ratio_of_weights_matters() {
        let of = |unit: f64| CapacityTable::new([(1, unit), (2, 2.0 * unit), (9, unit)]).unwrap();
        assert_eq!(of(1.0).mean(), of(1024.0).mean());
        assert_eq!(of(1.0).mean(), 3.5);
    }
}
