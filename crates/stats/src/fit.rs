//! Straight lines and power laws through points.

use crate::{Confidence, Estimate, TooFew};

/// A line through points: y ≈ intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearFit {
    /// The slope with its interval; `n` is the number of points.
    pub slope: Estimate,
    /// The y of the line at x = 0.
    pub intercept: f64,
    /// The largest distance of a point from the line.
    pub worst: f64,
}

/// Fits y = a + b·x by least squares.
///
/// The interval of b is Student's with n − 2 degrees of freedom, b ± t·s/√Σ(x − mean)². It treats
/// the residuals as independent noise of equal variance. So it covers both random error and
/// curvature: where the truth is curved, the interval holds for a single slope over these points,
/// and not beyond them.
///
/// Three points with different x are needed.
pub fn line(points: &[(f64, f64)], confidence: Confidence) -> Result<LinearFit, TooFew> {
    TooFew::check(3, points.len())?;
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let product: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let slope = product / spread;
    let distances = points
        .iter()
        .map(|(x, y)| y - mean_y - slope * (x - mean_x));
    let squares: f64 = distances.clone().map(|distance| distance.powi(2)).sum();
    let error = (squares / (n - 2.0) / spread).sqrt();
    Ok(LinearFit {
        slope: Estimate {
            mean: slope,
            half_width: confidence.student(points.len() as u64 - 2) * error,
            confidence,
            n: points.len() as u64,
        },
        intercept: mean_y - slope * mean_x,
        worst: distances.map(f64::abs).fold(0.0, f64::max),
    })
}

/// A line through points on logarithmic axes: y ≈ factor · x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// The exponent with its interval; `n` is the number of points.
    pub exponent: Estimate,
    /// The y of the line at x = 1.
    pub factor: f64,
    /// The largest distance of a point from the line, as a factor: 1 if all lie on it.
    pub worst: f64,
}

/// Fits y = a·x^b: the [`line()`] of least squares through the logarithms.
///
/// All coordinates must be positive, and three points with different x are needed.
///
/// ```
/// use filch_stats::{Confidence, power_law};
///
/// let points: Vec<(f64, f64)> = (1..20).map(f64::from).map(|x| (x, 3.0 * x * x)).collect();
/// let law = power_law(&points, Confidence::NINETY_FIVE)?;
/// assert!((law.exponent.mean - 2.0).abs() < 1e-12 && (law.factor - 3.0).abs() < 1e-12);
/// # Ok::<(), filch_stats::TooFew>(())
/// ```
pub fn power_law(points: &[(f64, f64)], confidence: Confidence) -> Result<PowerLaw, TooFew> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let line = line(&logs, confidence)?;
    Ok(PowerLaw {
        exponent: line.slope,
        factor: line.intercept.exp(),
        worst: line.worst.exp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use rand_distr::{Distribution, Normal};

    /// Against the formulas worked out by hand: lg x = 0, 1, 2 and lg y = 0, 1, 3 in some base, so
    /// b = 3/2 and the distances are 1/6, −1/3, 1/6: s² = 1/6, Σ = 2, error = √(1/12).
    #[test]
    fn by_hand() {
        let points = [(1.0, 1.0), (2.0, 2.0), (4.0, 8.0)];
        let law = power_law(&points, Confidence::NINETY_FIVE).unwrap();
        assert!((law.exponent.mean - 1.5).abs() < 1e-12);
        let t = Confidence::NINETY_FIVE.student(1);
        assert!((law.exponent.half_width - t * (1.0f64 / 12.0).sqrt()).abs() < 1e-9);
        assert!((law.worst - 2f64.powf(1.0 / 3.0)).abs() < 1e-12);
        assert!(power_law(&points[..2], Confidence::NINETY_FIVE).is_err());
    }

    /// With normal noise on the logarithms the 95 % interval misses in 5 % of cases. A correct one
    /// misses more than 78 or fewer than 27 of 1000 with probability 1/5000.
    #[test]
    fn intervals_cover() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 70, 0);
        let noise = Normal::new(0.0f64, 0.2).unwrap();
        let mut missed = 0;
        for _ in 0..1000 {
            let points: Vec<(f64, f64)> = (1..=6)
                .map(|i| {
                    let x = f64::from(i * i);
                    (x, 5.0 * x.powf(0.7) * noise.sample(&mut rng).exp())
                })
                .collect();
            let law = power_law(&points, Confidence::NINETY_FIVE).unwrap();
            missed += u32::from(!law.exponent.interval().contains(0.7));
        }
        assert!((27..=78).contains(&missed), "{missed}");
    }
}
