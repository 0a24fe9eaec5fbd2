//! The mean over one long run.

use crate::von_neumann::{lag1_autocorrelation, von_neumann_ratio};
use crate::{Confidence, Estimate, Moments, TooFew};

/// The number of batches that [`batch_means`] uses.
///
/// More batches make Student's t hardly smaller (2.04 at 31 degrees of freedom against 1.96), but
/// make each batch shorter and so less independent of its neighbours.
pub const BATCHES: usize = 32;

/// The mean over one long run, with two measures of how independent its batches are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchMeans {
    /// The mean and its interval; `n` is the number of batches.
    pub estimate: Estimate,
    /// Observations in each batch.
    pub batch_len: usize,
    /// Lag-1 autocorrelation of the batch means; near 0 if all is well.
    pub lag1: f64,
    /// [Von Neumann's ratio](von_neumann_ratio) of the batch means; near 2 if all is well.
    pub von_neumann: f64,
}

impl BatchMeans {
    /// The largest probability that [`independent`](Self::independent) rejects independent batches:
    /// 0.9 % from 32 batches on, half of that with 8, zero with fewer than 6.
    pub const FALSE_ALARM: f64 = 0.01;

    /// Whether independence of the batch means is not rejected. If it is rejected, the interval is
    /// too narrow: run longer, or use fewer batches.
    ///
    /// A one-sided test at the 1 % level, (2 − η) / √(4(k − 2)/(k² − 1)) ≤ 2.326: only positive
    /// correlation makes an interval too narrow. Passing the test is no proof of independence. With
    /// fewer than 6 batches it is no evidence either: η is at least 2 − 2·cos(π/k), so all pass.
    pub fn independent(&self) -> bool {
        let k = self.estimate.n as f64;
        if k < 6.0 {
            return true;
        }
        let deviation = (4.0 * (k - 2.0) / (k * k - 1.0)).sqrt();
        2.0 - self.von_neumann <= 2.326 * deviation
    }
}

/// [`batch_means_of`] with [`BATCHES`] batches.
pub fn batch_means(series: &[f64], confidence: Confidence) -> Result<BatchMeans, TooFew> {
    batch_means_of(series, BATCHES, confidence)
}

/// The mean of a stationary series, by cutting it into `batches` equal batches.
///
/// Consecutive observations of a simulation are correlated, so their own spread says too little
/// about the error of their mean. The means of long batches are nearly independent and nearly
/// normal, so Student's interval applies to them (Law, *Simulation Modeling and Analysis*). Cut the
/// warm-up first, with [`mser5`](crate::mser5). The remainder of the division is dropped at the
/// front, where a bias of the start would be largest.
///
/// There have to be two batches and an observation in each.
pub fn batch_means_of(
    series: &[f64],
    batches: usize,
    confidence: Confidence,
) -> Result<BatchMeans, TooFew> {
    TooFew::check(2, batches)?;
    TooFew::check(batches, series.len())?;
    let means = means(series, batches);
    Ok(BatchMeans {
        estimate: Estimate::from_moments(&means.iter().collect(), confidence)?,
        batch_len: series.len() / batches,
        lag1: lag1_autocorrelation(&means),
        von_neumann: von_neumann_ratio(&means),
    })
}

/// The means of `batches` equal pieces, without the remainder at the front.
pub(crate) fn means(series: &[f64], batches: usize) -> Vec<f64> {
    let length = series.len() / batches;
    series[series.len() % batches..]
        .chunks_exact(length)
        .map(|batch| batch.iter().collect::<Moments>().mean().unwrap_or(f64::NAN))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{AR1, TESTS, ar1};
    use crate::replications;

    #[test]
    fn batches_are_cut_from_the_back() {
        let series = [99.0, 1.0, 3.0, 5.0, 7.0];
        assert_eq!(means(&series, 2), [2.0, 6.0]);
        let result = batch_means_of(&series, 2, Confidence::NINETY_FIVE).unwrap();
        assert_eq!(
            (result.estimate.mean, result.estimate.n, result.batch_len),
            (4.0, 2, 2)
        );
    }

    /// AR(1) with φ = 0.5 and mean 0, 2000 runs of 3200 values. The number of intervals that cover
    /// is binomial with standard deviation √(2000·0.95·0.05) = 9.7; four of them are passed by
    /// chance 6 times in 100 000. Taking the values for independent covers only 74 % of the time
    /// (1.96/√3 standard errors), so this test tells the two apart.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let (mut covered, mut covered_naively, mut alarms) = (0, 0, 0);
        for run in 0..2000 {
            let mut stream = TESTS.stream(AR1, run, 30);
            let series = ar1(&mut stream, 0.5, 0.0, 3200);
            let result = batch_means(&series, Confidence::NINETY_FIVE).unwrap();
            let naive = replications(&series, Confidence::NINETY_FIVE).unwrap();
            covered += u32::from(result.estimate.interval().contains(0.0));
            covered_naively += u32::from(naive.interval().contains(0.0));
            alarms += u64::from(!result.independent());
        }
        assert!((1861..=1939).contains(&covered), "{covered}");
        assert!(covered_naively < 1600, "{covered_naively}");
        // Residual correlation 0.007 between batches and the normal limit move the 1 % a little;
        // 2 % gives room for that, and 1e-4 for chance.
        assert!(
            alarms < crate::processes::implausible(0.02, 2000),
            "{alarms}"
        );
    }

    /// Batches of 10 from a process with a correlation time of 100 steps: every run is rejected.
    /// Correlation between neighbouring batches is about 0.93, η about 0.15, 5 deviations off.
    #[test]
    fn short_batches_are_reported() {
        for run in 0..100 {
            let series = ar1(&mut TESTS.stream(AR1, run, 31), 0.99, 0.0, 320);
            let result = batch_means(&series, Confidence::NINETY_FIVE).unwrap();
            assert!(
                !result.independent() && result.lag1 > 0.3,
                "run {run}: {result:?}"
            );
        }
    }

    /// Independent normal batches: never an alarm where η cannot show one, otherwise at most 1 %,
    /// and at the usual 32 batches not much less. Error rate of each bound: 1e-4.
    #[test]
    fn false_alarms_are_as_rare_as_stated() {
        const RUNS: u64 = 20_000;
        for batches in [2, 3, 4, 5, 6, 8, 16, 32, 64] {
            let mut stream = TESTS.stream(AR1, batches as u64, 32);
            let alarms = (0..RUNS)
                .filter(|_| {
                    let values = ar1(&mut stream, 0.0, 0.0, batches);
                    let result = batch_means_of(&values, batches, Confidence::NINETY_FIVE);
                    !result.unwrap().independent()
                })
                .count() as u64;
            let most = if batches < 6 {
                0
            } else {
                crate::most_errors(RUNS, BatchMeans::FALSE_ALARM, 1e-4)
            };
            assert!(alarms <= most, "{batches} batches: {alarms}");
            assert!(batches < 32 || alarms > 120, "{batches} batches: {alarms}");
        }
    }

    #[test]
    fn too_little_to_cut() {
        let confidence = Confidence::NINETY_FIVE;
        assert_eq!(
            batch_means(&[1.0; 31], confidence),
            Err(TooFew {
                needed: 32,
                got: 31
            })
        );
        assert_eq!(
            batch_means_of(&[1.0; 9], 1, confidence),
            Err(TooFew { needed: 2, got: 1 })
        );
        let constant = batch_means(&[1.0; 32], confidence).unwrap();
        assert_eq!(
            (constant.estimate.half_width, constant.independent()),
            (0.0, true)
        );
    }
}
