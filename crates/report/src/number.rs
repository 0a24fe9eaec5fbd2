//! Numbers for people.

use crate::values::Cell;

/// A value in a table.
pub(crate) fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => real(*number),
    }
}

/// Four digits that mean something, without zeros that do not.
pub(crate) fn real(number: f64) -> String {
    let size = number.abs();
    if !(1e-3..1e6).contains(&size) && size != 0.0 {
        return format!("{number:.3e}");
    }
    let whole_digits = (size.max(1.0).log10() as usize) + 1;
    let text = format!("{number:.*}", 4usize.saturating_sub(whole_digits));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_readable() {
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
            assert_eq!(real(number), text);
        }
    }
}
