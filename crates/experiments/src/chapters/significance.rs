//! How many errors a true claim is allowed.

use filch_stats::most_errors;

/// The significance level of the tests on counts in this report: a claim that is true is rejected
/// by chance in one report out of ten thousand.
const LEVEL: f64 = 1e-4;

/// The most errors that `trials` trials may show before an error rate of at most `rate` is
/// rejected.
pub(super) fn allowed_errors(trials: u64, rate: f64) -> u64 {
    most_errors(trials, rate, LEVEL)
}
