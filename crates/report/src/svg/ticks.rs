//! The ticks of an axis, for the whole picture and for every zoom.

use super::round_step::{RoundStep, shifted};

/// Part of a decade, in hundredths of its first value: from, to and how far apart.
type Part = (u32, u32, usize);

/// Divisions of a decade. Each holds the one before, and has at most six ticks in the place of one:
/// so one of them suits every zoom.
const DIVISIONS: [&[Part]; 4] = [
    &[(100, 300, 100), (500, 600, 100)],
    &[(100, 1000, 100)],
    &[(100, 200, 50), (200, 1000, 100)],
    &[(100, 200, 10), (200, 500, 20), (500, 1000, 50)],
];

/// Ticks of a linear axis, level by level: about so many first, then finer ones, until the finest
/// are at most 1/`zoom` as far apart as the first. Every level holds the one before.
pub(super) fn linear(low: f64, high: f64, about: usize, zoom: f64) -> Vec<Vec<f64>> {
    let first = RoundStep::fitting(low, high, about);
    let steps = std::iter::successors(Some(first), |step| {
        (step.size() * zoom > first.size()).then(|| step.finer())
    });
    steps.map(|step| step.multiples(low, high)).collect()
}

/// Ticks of a logarithmic axis, level by level, until the widest gap between the finest is at most
/// 1/`zoom` of the axis. The first level is powers of ten, with 2 and 5 between them where there is
/// room. An axis of less than 0.7 decades has the ticks of a linear one.
pub(super) fn logarithmic(low: f64, high: f64, about: usize, zoom: f64) -> Vec<Vec<f64>> {
    let decades = high.log10() - low.log10();
    if decades < 0.7 {
        return linear(low, high, about, zoom);
    }
    let powers = || low.log10().floor() as i32..=high.log10().ceil() as i32;
    let inside = |value: &f64| (low..=high).contains(value);
    let within_decades = |parts: &[Part]| -> Vec<f64> {
        let hundredths = parts
            .iter()
            .flat_map(|&(from, to, step)| (from..to).step_by(step));
        let hundredths: Vec<u32> = hundredths.collect();
        let in_decade = |power| {
            hundredths
                .iter()
                .map(move |&part| shifted(part.into(), power - 2))
        };
        powers().flat_map(in_decade).filter(inside).collect()
    };
    let every_so_many = |every: i32| -> Vec<f64> {
        let chosen = powers().filter(|power| power.rem_euclid(every) == 0);
        chosen
            .map(|power| shifted(1.0, power))
            .filter(inside)
            .collect()
    };

    let mut levels = Vec::new();
    let mut divisions = DIVISIONS.iter();
    if decades * 2.0 > about as f64 {
        let least = ((decades / about.max(1) as f64).ceil() as i32).max(1);
        let first = (least..).find(|&every| is_smooth(every));
        let finer = |&every: &i32| (1..every).rev().find(|divisor| every % divisor == 0);
        levels.extend(std::iter::successors(first, finer).map(every_so_many));
    } else {
        levels.extend(divisions.next().map(|parts| within_decades(parts)));
    }
    for parts in divisions {
        let widest = levels.last().map_or(f64::INFINITY, |ticks| widest(ticks));
        if widest * zoom <= decades {
            break;
        }
        levels.push(within_decades(parts));
    }
    levels
}

/// Whether a number has no prime factor above 5, so that its divisors are close to one another.
fn is_smooth(number: i32) -> bool {
    let rest = [2, 3, 5].into_iter().fold(number, |mut rest, prime| {
        while rest % prime == 0 {
            rest /= prime;
        }
        rest
    });
    rest == 1
}

/// The widest gap between neighbouring ticks, in decades.
fn widest(ticks: &[f64]) -> f64 {
    let gaps = ticks.windows(2).map(|pair| (pair[1] / pair[0]).log10());
    gaps.reduce(f64::max).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn round_values() {
        let linear = |low, high, about| linear(low, high, about, 1.0).remove(0);
        let logarithmic = |low, high, about| logarithmic(low, high, about, 1.0).remove(0);
        assert_eq!(linear(0.0, 1.04, 5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(linear(-3.0, 12.0, 4), [0.0, 5.0, 10.0]);
        assert_eq!(logarithmic(0.9, 1100.0, 5), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(logarithmic(0.9, 60.0, 6), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(logarithmic(1.0, 1e12, 5), [1.0, 1e3, 1e6, 1e9, 1e12]);
        assert_eq!(logarithmic(40.0, 60.0, 4), [40.0, 45.0, 50.0, 55.0, 60.0]);
    }

    #[test]
    fn finer_and_finer() {
        let levels = linear(0.0, 1.0, 2, 4.0);
        assert_eq!(levels[0], [0.0, 0.5, 1.0]);
        assert_eq!(levels[1].len(), 11);
        assert_eq!(levels.len(), 2);
        let levels = logarithmic(1.0, 1e12, 2, 4.0);
        let counts: Vec<_> = levels.iter().map(Vec::len).collect();
        assert_eq!(
            counts,
            [3, 5, 13],
            "every six decades, every three, every one"
        );
    }

    proptest! {
        /// Inside, in order, some at first but not too many, and each level holds the one before.
        #[test]
        fn enough_and_inside(
            low in 1e-6f64..1e6, ratio in 1.01f64..1e9, about in 3usize..10, zoom in 1.0f64..20.0
        ) {
            let high = low * ratio;
            let margin = 1e-9 * (high - low);
            for levels in [linear(low, high, about, zoom), logarithmic(low, high, about, zoom)] {
                let first = &levels[0];
                prop_assert!(!first.is_empty() && first.len() <= 2 * about + 2, "{:?}", first);
                for ticks in &levels {
                    prop_assert!(ticks.is_sorted());
                    let ends = low - margin..=high + margin;
                    prop_assert!(ticks.iter().all(|tick| ends.contains(tick)));
                }
                for pair in levels.windows(2) {
                    let near = |tick: &f64| {
                        pair[1].iter().any(|other| (other - tick).abs() <= 1e-9 * tick.abs())
                    };
                    prop_assert!(pair[0].iter().all(near), "{:?}", pair);
                }
            }
        }
    }
}
