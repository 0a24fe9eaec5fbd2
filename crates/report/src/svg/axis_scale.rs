//! Where the values of an axis are on the page.

use super::ticks;

/// An axis and its place on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisScale {
    /// The ends in values.
    pub(crate) domain: [f64; 2],
    pub(crate) logarithmic: bool,
    /// Whether all values are whole numbers; then so are the ticks of the whole picture.
    pub(crate) whole: bool,
    /// The ends on the page.
    pub(crate) range: [f64; 2],
}

impl AxisScale {
    /// An axis on which all `values` have a place, except those that have none on any such axis, as
    /// zero on a logarithmic one.
    pub(crate) fn over(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let fits = |value: &f64| value.is_finite() && (!logarithmic || *value > 0.0);
        let mut whole = true;
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        for value in values.filter(fits) {
            whole &= value.fract() == 0.0;
            ends = [ends[0].min(value), ends[1].max(value)];
        }
        let [low, high] = ends;
        let domain = match (low <= high, logarithmic) {
            (false, _) => [if logarithmic { 0.1 } else { 0.0 }, 1.0],
            (true, true) => around_logarithmic(low, high),
            (true, false) => around_linear(low, high),
        };
        Self {
            domain,
            logarithmic,
            whole: whole && high - low >= 1.0,
            range: [0.0, 1.0],
        }
    }

    /// The same axis, drawn from `from` to `to`.
    pub(crate) fn drawn(self, from: f64, to: f64) -> Self {
        Self {
            range: [from, to],
            ..self
        }
    }

    /// Where a value is, if it has a place.
    pub(crate) fn at(&self, value: f64) -> Option<f64> {
        let [low, high] = self.domain.map(|end| self.bent(end));
        let part = (self.bent(value) - low) / (high - low);
        part.is_finite()
            .then(|| self.range[0] + part * (self.range[1] - self.range[0]))
    }

    /// The values to write beside the axis: the first level if there is room for about so many, the
    /// others if a reader looks at a part of it, down to 1/`zoom`. Each level holds the one before.
    pub(crate) fn ticks(&self, about: usize, zoom: f64) -> Vec<Vec<f64>> {
        let [low, high] = self.domain;
        let mut levels = if self.logarithmic {
            ticks::logarithmic(low, high, about, zoom)
        } else {
            ticks::linear(low, high, about, zoom)
        };
        if self.whole {
            levels[0].retain(|tick| tick.fract() == 0.0);
        }
        levels
    }

    fn bent(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.log10()
        } else {
            value
        }
    }
}

/// Starts at zero if the least value is at most half of the largest, so that heights can be
/// compared.
fn around_linear(low: f64, high: f64) -> [f64; 2] {
    if low >= 0.0 && low <= 0.5 * high {
        return [0.0, if high > 0.0 { high * 1.04 } else { 1.0 }];
    }
    let margin = if high > low {
        0.05 * (high - low)
    } else {
        0.1 * high.abs()
    };
    [low - margin, high + margin]
}

fn around_logarithmic(low: f64, high: f64) -> [f64; 2] {
    let margin = if high > low {
        (high / low).powf(0.04)
    } else {
        2.0
    };
    [low / margin, high * margin]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places() {
        let scale = AxisScale::over([10.0, 0.0, -1.0, 1000.0].into_iter(), true).drawn(0.0, 100.0);
        let middle = scale.at(100.0).unwrap();
        assert!((middle - 50.0).abs() < 1e-9, "{middle}");
        assert_eq!((scale.at(0.0), scale.at(-1.0)), (None, None));
        assert_eq!(scale.at(f64::NAN), None);

        let scale = AxisScale::over([1.0, 100.0].into_iter(), false).drawn(100.0, 0.0);
        assert_eq!(scale.domain, [0.0, 104.0]);
        assert_eq!(scale.at(52.0), Some(50.0));
    }

    #[test]
    fn whole_numbers_have_whole_ticks() {
        let workers = [1.0, 2.0].into_iter();
        let levels = AxisScale::over(workers, false).ticks(6, 16.0);
        assert_eq!(levels[0], [0.0, 1.0, 2.0]);
        assert!(levels[1].contains(&1.5), "a zoom may show what is between");
        let loads = [0.5, 2.0].into_iter();
        assert!(AxisScale::over(loads, false).ticks(6, 1.0)[0].contains(&0.5));
    }

    #[test]
    fn one_value_and_none() {
        for values in [&[][..], &[3.0], &[0.0], &[-2.0], &[f64::NAN]] {
            for logarithmic in [false, true] {
                let scale = AxisScale::over(values.iter().copied(), logarithmic);
                let [low, high] = scale.domain;
                assert!(low < high, "{values:?}: {scale:?}");
            }
        }
    }

    proptest! {
        /// Every value that has a place is inside, and larger ones are further up.
        #[test]
        fn inside_and_in_order(mut values in prop::collection::vec(1e-9f64..1e12, 1..20), logarithmic: bool) {
            let scale = AxisScale::over(values.iter().copied(), logarithmic).drawn(0.0, 500.0);
            values.sort_by(f64::total_cmp);
            let places: Vec<f64> = values.iter().map(|&value| scale.at(value).unwrap()).collect();
            prop_assert!(places.iter().all(|place| (0.0..=500.0).contains(place)));
            prop_assert!(places.is_sorted());
        }
    }
}
