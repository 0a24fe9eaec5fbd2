//! Round values for axes, and how they are written.

/// About so many multiples of 1, 2 or 5 times a power of ten, inside the ends.
pub(crate) fn linear(low: f64, high: f64, about: usize) -> Vec<f64> {
    let rough = (high - low) / about.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * 0.7)
        .unwrap_or(rough);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // Not added up, so that no rounding adds up.
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Powers of ten; with 2 and 5 between them where there is room; fewer where there is none.
pub(crate) fn logarithmic(low: f64, high: f64, about: usize) -> Vec<f64> {
    let decades = high.log10() - low.log10();
    let inside = |value: &f64| (low..=high).contains(value);
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let with = |factors: &'static [f64]| -> Vec<f64> {
        let all = powers.clone().flat_map(|power| {
            let unit = 10f64.powi(power);
            factors.iter().map(move |factor| factor * unit)
        });
        all.filter(inside).collect()
    };
    if decades < 0.7 {
        return linear(low, high, about);
    }
    if decades * 2.0 <= about as f64 {
        return with(&[1.0, 2.0, 5.0]);
    }
    let every = ((decades / about.max(1) as f64).ceil() as i32).max(1);
    powers
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| 10f64.powi(power))
        .filter(inside)
        .collect()
}

/// As short as it can be without losing a digit of a round value.
pub(crate) fn label(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-3..1e5).contains(&size) {
        // Rounded to six digits: 0.30000000000000004 is 0.3.
        let digits = (5 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{value:.digits$}");
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    let mut power = size.log10().floor() as i32;
    let mut front = (value / 10f64.powi(power) * 1000.0).round() / 1000.0;
    if front.abs() >= 10.0 {
        (front, power) = (front / 10.0, power + 1);
    }
    let raised = raised(power);
    match front {
        1.0 => format!("10{raised}"),
        -1.0 => format!("−10{raised}"),
        _ => format!("{front}·10{raised}"),
    }
}

/// A number in superscript.
fn raised(power: i32) -> String {
    let digit = |character: char| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => {
            let digit = other.to_digit(10).unwrap_or(0);
            char::from_u32('⁰' as u32 + digit).unwrap_or(other)
        }
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn round_values() {
        assert_eq!(
            linear(0.0, 1.04, 5),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
        );
        assert_eq!(linear(-3.0, 12.0, 4), [0.0, 5.0, 10.0]);
        assert_eq!(logarithmic(0.9, 1100.0, 5), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(logarithmic(0.9, 60.0, 6), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(logarithmic(1.0, 1e12, 5), [1.0, 1e3, 1e6, 1e9, 1e12]);
        assert_eq!(logarithmic(40.0, 60.0, 4), [40.0, 45.0, 50.0, 55.0, 60.0]);
    }

    #[test]
    fn labels() {
        for (value, text) in [
            (0.0, "0"),
            (0.6000000000000001, "0.6"),
            (-0.25, "-0.25"),
            (64.0, "64"),
            (20_000.0, "20000"),
            (1e6, "10⁶"),
            (2.5e-7, "2.5·10⁻⁷"),
            (1e100, "10¹⁰⁰"),
            (-1e9, "−10⁹"),
        ] {
            assert_eq!(label(value), text);
        }
    }

    proptest! {
        /// Inside, in order, some but not too many.
        #[test]
        fn enough_and_inside(low in 1e-6f64..1e6, ratio in 1.01f64..1e9, about in 3usize..10) {
            let high = low * ratio;
            for ticks in [linear(low, high, about), logarithmic(low, high, about)] {
                prop_assert!(!ticks.is_empty() && ticks.len() <= 2 * about + 2, "{:?}", ticks);
                prop_assert!(ticks.is_sorted());
                let margin = 1e-9 * (high - low);
                prop_assert!(ticks.iter().all(|&tick| tick >= low - margin && tick <= high + margin));
            }
        }
    }
}
