//! Following a limit through time.

use super::MeanField;

/// The mean number of jobs for each processor at the times 0, 1, …, `until`, from empty queues,
/// with at most `most` jobs on a processor.
///
/// A model in steps is followed exactly, but for rounding. In continuous time the equations are
/// integrated by the classical Runge–Kutta method of fourth order; the second value is the largest
/// difference between two strides of which one is half the other, an estimate of the error of the
/// coarser. The finer is returned.
pub fn trajectory(model: &impl MeanField, most: usize, until: usize) -> (Vec<f64>, f64) {
    if model.stride() == 1.0 {
        let mut shares = empty(most);
        let mut means = vec![0.0];
        for _ in 0..until {
            relax(model, &mut shares, 1);
            means.push(mean(&shares));
        }
        return (means, 0.0);
    }
    let strides = (8.0 / model.stride()).ceil() as usize;
    let [coarse, fine] =
        [strides, 2 * strides].map(|strides| integrate(model, most, until, strides));
    let differences = coarse.iter().zip(&fine).map(|(a, b)| (a - b).abs());
    let error = differences.fold(0.0, f64::max);
    (fine, error)
}

/// Empty queues.
pub(super) fn empty(most: usize) -> Vec<f64> {
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    shares
}

/// Σ l·p_l.
pub(super) fn mean(shares: &[f64]) -> f64 {
    let terms = shares.iter().enumerate();
    terms.map(|(jobs, share)| jobs as f64 * share).sum()
}

/// Makes so many strides of Euler's method: shares stay shares, and the fixed point is that of the
/// equations. Returns Σ |drift| before the last.
pub(super) fn relax(model: &impl MeanField, shares: &mut [f64], strides: usize) -> f64 {
    let mut drift = vec![0.0; shares.len()];
    for _ in 0..strides {
        model.drift(shares, &mut drift);
        let changes = shares.iter_mut().zip(&drift);
        changes.for_each(|(share, drift)| *share += model.stride() * drift);
    }
    drift.iter().map(|drift| drift.abs()).sum()
}

/// The means at whole times, with so many strides in a unit of time.
fn integrate(model: &impl MeanField, most: usize, until: usize, strides: usize) -> Vec<f64> {
    let step = 1.0 / strides as f64;
    let mut shares = empty(most);
    let mut slopes = [(); 4].map(|()| vec![0.0; shares.len()]);
    let mut means = vec![0.0];
    for _ in 0..until {
        for _ in 0..strides {
            model.drift(&shares, &mut slopes[0]);
            for stage in 1..4 {
                let reach = if stage == 3 { step } else { step / 2.0 };
                let slope = &slopes[stage - 1];
                let at: Vec<f64> = shares
                    .iter()
                    .zip(slope)
                    .map(|(p, k)| p + reach * k)
                    .collect();
                model.drift(&at, &mut slopes[stage]);
            }
            for (level, share) in shares.iter_mut().enumerate() {
                let [a, b, c, d] = [0, 1, 2, 3].map(|stage: usize| slopes[stage][level]);
                *share += step / 6.0 * (a + 2.0 * b + 2.0 * c + d);
            }
        }
        means.push(mean(&shares));
    }
    means
}
