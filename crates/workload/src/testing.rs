//! What the statistical tests of this crate share.
//!
//! Seeds are fixed, so a test passes always or never. The error rate beside an assertion is the
//! probability that a *correct* sampler fails it with a new seed. No seed was searched for.

use filch_random::{Purpose, Seed, Stream};

/// The stream of test number `index`.
pub(crate) fn stream(index: u64) -> Stream {
    Seed::default().stream(Purpose::named("tests"), 0, index)
}

/// The p-value of the chi-square test that `observed` counts come from `probabilities`.
pub(crate) fn p_value(observed: &[u64], probabilities: &[f64]) -> f64 {
    filch_stats::chi_square(observed, probabilities).expect("observations for two cells")
}

/// Fails if `observed` deviates from `probabilities` as counts drawn from them do once in 10 000
/// times.
#[track_caller]
pub(crate) fn assert_drawn_from(probabilities: &[f64], observed: &[u64]) {
    let p = p_value(observed, probabilities);
    assert!(p > 1e-4, "p = {p:e}");
}
