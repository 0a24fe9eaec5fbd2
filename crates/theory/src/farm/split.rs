//! PI, the third member of equation 65: what split batches need of the finite set.

use super::FarmModel;

/// The base of the third member of equation 65 as [`pi_is_stable`](super::pi_is_stable) repairs it:
/// ε(1 + λ) + (1 + λ)²(σ_a² + λ²) + λσ_a², but no less than the ε + n(σ_a² + λ²) that is printed.
pub(super) fn third_member(model: &FarmModel, epsilon: f64) -> f64 {
    let (lambda, variance) = (model.batch_mean, model.batch_variance);
    let square = variance + lambda * lambda;
    let repaired = epsilon * (1.0 + lambda) + (1.0 + lambda).powi(2) * square + lambda * variance;
    repaired.max(epsilon + model.servers() as f64 * square)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E\[S²\] for S = a(1) + … + a(1 + a(1)), by enumeration, for batches of 0, 1 or 4 jobs.
    #[test]
    fn the_second_moment_of_the_jobs_of_an_interval() {
        let law = [(0usize, 0.5), (1, 0.3), (4, 0.2)];
        let lambda: f64 = law.iter().map(|(a, p)| *a as f64 * p).sum();
        let variance = law.iter().map(|(a, p)| (*a as f64 - lambda).powi(2) * p);
        let variance: f64 = variance.sum();
        let mut second = 0.0;
        for (first, chance) in law {
            // The law of the sum of `first` more batches.
            let mut sum = vec![1.0];
            for _ in 0..first {
                let mut next = vec![0.0; sum.len() + 4];
                for (jobs, p) in sum.iter().enumerate() {
                    for (a, q) in law {
                        next[jobs + a] += p * q;
                    }
                }
                sum = next;
            }
            let square = |(jobs, p): (usize, &f64)| ((first + jobs) as f64).powi(2) * p;
            second += chance * sum.iter().enumerate().map(square).sum::<f64>();
        }
        let square = variance + lambda * lambda;
        let formula = (1.0 + lambda).powi(2) * square + lambda * variance;
        assert!((second - formula).abs() < 1e-9, "{second} {formula}");
        let model = FarmModel {
            batch_mean: lambda,
            batch_variance: variance,
            classes: Vec::new(),
        };
        let member = third_member(&model, 0.1);
        assert!((member - (0.1 * (1.0 + lambda) + formula)).abs() < 1e-9);
    }
}
