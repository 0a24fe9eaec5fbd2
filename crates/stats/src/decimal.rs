//! The rank of a quantile, exactly.

/// ⌈p·n⌉, but at least 1, with `p` read as the shortest decimal that stands for it.
///
/// That decimal is d·10⁻ᵉ with d below 10¹⁷, so d·n stays below 1.9·10³⁶ and fits a `u128`, and
/// where 10ᵉ does not fit, p·n is below 1.
///
/// # Panics
///
/// If `p` is not within 0 … 1.
pub(crate) fn rank(p: f64, n: u64) -> u64 {
    assert!(
        (0.0..=1.0).contains(&p),
        "a quantile is asked for at p within 0 to 1, got {p}"
    );
    // Rust prints the shortest digits that parse back to the same number: 9.99e-1.
    let printed = format!("{p:e}");
    let (mantissa, exponent) = printed.split_once('e').expect("the format has an exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: u128 = [whole, fraction]
        .concat()
        .parse()
        .expect("a mantissa is made of digits");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    let places = (fraction.len() as i32 - exponent).unsigned_abs();

    let product = digits * u128::from(n);
    let rank = 10u128
        .checked_pow(places)
        .map_or(1, |unit| product.div_ceil(unit));
    // At most n, because p is at most 1.
    (rank as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn exact_ranks() {
        let cases = [
            (0.0, 10, 1),
            (1.0, 10, 10),
            (0.9, 10, 9),
            (0.1, 10, 1),
            (0.11, 10, 2),
            (0.999, 1_000, 999),
            (0.95, 20, 19),
            (1.0, u64::MAX, u64::MAX),
            (0.5, u64::MAX, 1 << 63),
            (1e-300, u64::MAX, 1),
            (1e-19, u64::MAX, 2),
            (
                0.999_999_999_999_999_9,
                10_000_000_000_000_000,
                9_999_999_999_999_999,
            ),
            (0.3, 0, 1),
        ];
        for (p, n, expected) in cases {
            assert_eq!(rank(p, n), expected, "{p} of {n}");
        }
    }

    #[test]
    #[should_panic(expected = "within 0 to 1, got NaN")]
    fn nonsense_is_refused() {
        rank(f64::NAN, 1);
    }
}
