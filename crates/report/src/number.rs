//! Numbers as people read them: in tables, on axes, on the terminal.

/// Four significant digits, or all digits of the whole part; no zeros at the end. Below 10⁻³ and
/// from 10⁶ on, a mantissa and a power of ten.
///
/// ```
/// use filch_report::number::short;
///
/// assert_eq!(short(12.3456), "12.35");
/// assert_eq!(short(0.95), "0.95");
/// assert_eq!(short(2.5e9), "2.500e9");
/// ```
pub fn short(number: f64) -> String {
    let size = number.abs();
    if !(1e-3..1e6).contains(&size) && size != 0.0 {
        return format!("{number:.3e}");
    }
    let whole_digits = (size.max(1.0).log10() as usize) + 1;
    decimals(number, 4usize.saturating_sub(whole_digits))
}

/// At most `most` digits after the point, and no zeros at the end.
///
/// ```
/// use filch_report::number::decimals;
///
/// assert_eq!(decimals(1234567.25, 1), "1234567.2");
/// assert_eq!(decimals(3.0, 1), "3");
/// ```
pub fn decimals(number: f64, most: usize) -> String {
    let text = format!("{number:.most$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Three significant digits, zeros at the end included, or all digits of the whole part; at most
/// four after the point. For measurements, which are good for no more.
///
/// ```
/// use filch_report::number::measured;
///
/// assert_eq!(measured(2.0), "2.00");
/// assert_eq!(measured(1234.5), "1234");
/// assert_eq!(measured(0.00012), "0.0001");
/// ```
pub fn measured(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 4,
    };
    format!("{value:.digits$}")
}

/// The label of a tick: all digits of a round value, up to six. Below 10⁻³ and from 10⁵ on, a power
/// of ten as it is printed.
///
/// ```
/// use filch_report::number::label;
///
/// assert_eq!(label(20_000.0), "20000");
/// assert_eq!(label(2.5e-7), "2.5·10⁻⁷");
/// ```
pub fn label(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-3..1e5).contains(&size) {
        // Six significant digits, so that 0.30000000000000004 is 0.3.
        let digits = (5 - size.log10().floor() as i32).max(0) as usize;
        return decimals(value, digits);
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

    #[test]
    fn short_numbers() {
        for (number, text) in [
            (0.0, "0"),
            (0.95, "0.95"),
            (1.0, "1"),
            (0.123456, "0.123"),
            (0.0012, "0.001"),
            (12.3456, "12.35"),
            (1234.56, "1235"),
            (100.0, "100"),
            (999_999.0, "999999"),
            (2.5e-7, "2.500e-7"),
            (-0.5, "-0.5"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn zeros_at_the_end_of_a_whole_number_stay() {
        assert_eq!(decimals(1200.0, 0), "1200");
        assert_eq!(decimals(1200.0, 2), "1200");
        assert_eq!(decimals(0.04, 1), "0");
        assert_eq!(decimals(f64::NAN, 2), "NaN");
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
}
