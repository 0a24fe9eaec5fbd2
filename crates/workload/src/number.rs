//! Numbers as users type them.
//!
//! The standard library also reads `+5`, `inf` and `NaN`, and turns `1e400` into infinity. These
//! are no parameters of a workload, so they are refused here.

use std::fmt;

/// A finite number without a sign: `2`, `0.5`, `.5`, `1e3`.
pub(crate) fn real(text: &str) -> Option<f64> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A number made of digits alone, at most `u32::MAX`.
pub(crate) fn integer(text: &str) -> Option<u32> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// A number made of digits alone, at most `u64::MAX`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Prints a number so that [`real`] reads the same number again, with an exponent instead of many
/// zeros.
pub(crate) struct Short(pub(crate) f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reals() {
        for (text, number) in [
            ("2", 2.0),
            ("0.5", 0.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1e3),
        ] {
            assert_eq!(real(text), Some(number), "{text}");
        }
        let refused = [
            "", ".", "+5", "-5", "-0", " 5", "5 ", "inf", "infinity", "NaN", "nan", "1e400", "1e",
            "0x10", "1_000", "1,5", "٣", "five",
        ];
        for text in refused {
            assert_eq!(real(text), None, "{text}");
        }
    }

    #[test]
    fn integers() {
        for (text, number) in [("0", 0), ("007", 7), ("4294967295", u32::MAX)] {
            assert_eq!(integer(text), Some(number), "{text}");
        }
        for text in [
            "",
            "+5",
            "-5",
            " 5",
            "5 ",
            "5.0",
            "1e3",
            "4294967296",
            "٣",
            "five",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn wholes() {
        assert_eq!(whole("18446744073709551615"), Some(u64::MAX));
        for text in ["", "+5", "-5", " 5", "5.0", "18446744073709551616", "five"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn short_numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (1e9, "1000000000"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(Short(number).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(bits in 0..f64::INFINITY.to_bits()) {
            let number = f64::from_bits(bits);
            prop_assert_eq!(real(&Short(number).to_string()), Some(number));
        }
    }
}
