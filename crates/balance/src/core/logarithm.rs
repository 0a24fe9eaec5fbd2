//! The natural logarithm, inlined.
//!
//! An answer takes up to eight of them to choose among candidates, and less often than that a cache
//! has the library's function and its table. Here there is no table, and nothing is called.

use std::f64::consts::{LN_2, SQRT_2};

/// The upper half of the bits of √½.
const ROOT: i32 = ((SQRT_2 / 2.0).to_bits() >> 32) as i32;

/// The logarithm of a number that is positive, finite and normal, off by less than 10⁻¹⁰.
///
/// The number is m · 2ᵉ with m between √½ and √2. With s = (m − 1) / (m + 1),
/// ln m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …). As |s| < 0.172, what follows s¹¹ is less than
/// 2 · 10⁻¹¹.
#[inline(always)]
pub(super) fn ln(number: f64) -> f64 {
    let bits = number.to_bits();
    let exponent = ((bits >> 32) as i32 - ROOT) >> 20;
    let fraction = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    let mut sum = 2.0 / 11.0;
    for odd in [9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 2.0 / odd;
    }
    f64::from(exponent) * LN_2 + s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_logarithm() {
        let mut number = f64::MIN_POSITIVE;
        while number < f64::MAX / 1.001 {
            let error = (ln(number) - number.ln()).abs();
            assert!(error < 1e-10, "{number}: {error}");
            number *= 1.001;
        }
    }

    #[test]
    fn it_is_close_where_the_fraction_turns_over() {
        for power in [-1022, -300, -1, 0, 1, 300, 1023] {
            let two = 2_f64.powi(power);
            for near in [two, (SQRT_2 / 2.0) * two, SQRT_2 / 2.0 * two * (1.0 + 1e-6)] {
                let near = near.max(f64::MIN_POSITIVE);
                assert!((ln(near) - near.ln()).abs() < 1e-10, "{near}");
            }
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
