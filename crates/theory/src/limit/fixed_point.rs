//! The fixed point of a limit.

use std::fmt;

use super::MeanField;
use super::linear;
use super::relaxation::{empty, mean, relax};

/// A limit is enlarged until doubling it changes the mean by at most this part of 1 + mean.
pub const TOLERANCE: f64 = 1e-10;

/// The numbers of jobs up to which a limit is solved first and last.
const SIZES: [usize; 2] = [32, 1024];

/// The most tails of a closed form that are kept: 32 MB, of queues whose mean is some 10⁵.
const MOST_TAILS: usize = 1 << 22;
/// Smaller tails of a closed form change no mean.
const LEAST_TAIL: f64 = 1e-18;

/// The stationary state of a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The share of processors with each number of jobs.
    pub shares: Vec<f64>,
    /// The mean number of jobs for each processor.
    pub mean: f64,
    /// How far the mean, or a tail, may be off: the change of either when the largest number of
    /// jobs was doubled last, plus the last correction of Newton's method, plus rounding. It is an
    /// estimate and not a proof; the tests hold it against closed forms.
    pub error: f64,
    /// λ, for [`Limit::time_in_system`].
    arrivals: f64,
}

impl Limit {
    /// The share of processors with `jobs` jobs or more. [`Limit::tails`] has all of them in the
    /// time of one.
    pub fn tail(&self, jobs: usize) -> f64 {
        // Small terms first.
        self.shares.iter().skip(jobs).rev().sum()
    }

    /// The share of processors with i jobs or more, for i from 0.
    pub fn tails(&self) -> Vec<f64> {
        let mut tails = self.shares.clone();
        for jobs in (1..tails.len()).rev() {
            tails[jobs - 1] += tails[jobs];
        }
        tails
    }

    /// The mean time of a job from its arrival to its end, by Little's law.
    pub fn time_in_system(&self) -> f64 {
        self.mean / self.arrivals
    }

    /// A limit whose tails are known: the shares of processors with 1, 2, … jobs or more.
    pub(super) fn from_tails(
        lambda: f64,
        above: impl IntoIterator<Item = f64>,
    ) -> Result<Self, NoLimit> {
        let mut tails = vec![1.0];
        for tail in above {
            if tails.len() > MOST_TAILS {
                return Err(NoLimit::TooLong { most: MOST_TAILS });
            }
            tails.push(tail);
            if tail <= LEAST_TAIL {
                break;
            }
        }
        // Small terms first.
        let mean = tails.iter().skip(1).rev().sum();
        let above = tails.iter().skip(1).chain([&0.0]);
        let shares: Vec<f64> = tails.iter().zip(above).map(|(a, b)| a - b).collect();
        Ok(Self {
            error: closed_form_rounding(lambda, shares.len(), mean),
            shares,
            mean,
            arrivals: lambda,
        })
    }
}

/// No fixed point was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoLimit {
    /// At λ ≥ 1 as many jobs arrive as can be processed.
    Overloaded,
    /// Newton's method did not converge.
    NotFound,
    /// Queues are longer than can be held.
    TooLong {
        /// The length up to which they can.
        most: usize,
    },
}

impl fmt::Display for NoLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overloaded => {
                f.write_str("λ must be below 1: otherwise the limit has no stationary state")
            }
            Self::NotFound => f.write_str("no stationary state was found: use another λ"),
            Self::TooLong { most } => write!(
                f,
                "queues of more than {most} jobs are too common: use a smaller λ"
            ),
        }
    }
}

impl std::error::Error for NoLimit {}

/// The fixed point to which `model` comes from empty queues.
///
/// The equations are followed for a while, and then solved by Newton's method, with at most L jobs
/// on a processor; L is doubled until that changes nothing any more.
///
/// # Errors
///
/// If λ is 1 or more, Newton's method does not converge, or L = 1024 is too small.
pub fn solve(model: &impl MeanField) -> Result<Limit, NoLimit> {
    let lambda = model.arrivals();
    if lambda >= 1.0 {
        return Err(NoLimit::Overloaded);
    }
    let [mut size, largest] = SIZES;
    let mut shares = empty(size);
    settle(model, &mut shares)?;
    loop {
        let before = shares.clone();
        size *= 2;
        shares.resize(size + 1, 0.0);
        let correction = settle(model, &mut shares)?;
        let mean = mean(&shares);
        let error = difference(&before, &shares) + correction;
        if error <= TOLERANCE * (1.0 + mean) {
            return Ok(Limit {
                // A larger L does not make it smaller.
                error: error + rounding(lambda, size, mean),
                shares,
                mean,
                arrivals: lambda,
            });
        }
        if size >= largest {
            return Err(NoLimit::TooLong { most: largest });
        }
    }
}

/// The largest difference of the means and of the tails.
fn difference(before: &[f64], after: &[f64]) -> f64 {
    let (mut tails, mut largest) = (0.0f64, 0.0f64);
    for jobs in (0..after.len()).rev() {
        tails += after[jobs] - before.get(jobs).unwrap_or(&0.0);
        largest = largest.max(tails.abs());
    }
    largest.max((mean(after) - mean(before)).abs())
}

/// What rounding may add up to: a unit in the last place for each of the shares, times the
/// condition of the equations, which grows as the queues relax more slowly.
fn rounding(lambda: f64, size: usize, mean: f64) -> f64 {
    f64::EPSILON * (size as f64).sqrt() * (1.0 + mean) / (1.0 - lambda)
}

/// The same of tails that are computed one from another: the relative error of a tail s may grow to
/// ln(1/s)/(1 − λ) units, which is a share s·ln(1/s)/(1 − λ) of them, below 1/(1 − λ).
fn closed_form_rounding(lambda: f64, size: usize, mean: f64) -> f64 {
    let size = size as f64;
    f64::EPSILON * (size.sqrt() * (1.0 + mean) + size / (1.0 - lambda))
}

/// Newton's method from `shares`, after following the equations. Returns how much its last
/// correction changed the mean and the shares.
fn settle(model: &impl MeanField, shares: &mut Vec<f64>) -> Result<f64, NoLimit> {
    let mut strides = 64;
    for _ in 0..8 {
        relax(model, shares, strides);
        strides *= 2;
        if let Some((found, correction)) = newton(model, shares) {
            *shares = found;
            return Ok(correction);
        }
    }
    Err(NoLimit::NotFound)
}

fn newton(model: &impl MeanField, start: &[f64]) -> Option<(Vec<f64>, f64)> {
    let mut shares = start.to_vec();
    let mut last = f64::INFINITY;
    for _ in 0..40 {
        let correction = linear::solve(jacobian(model, &shares), negated(model, &shares))?;
        let weight = |(jobs, change): (usize, &f64)| (1 + jobs) as f64 * change.abs();
        let size: f64 = correction.iter().enumerate().map(weight).sum();
        let improved = shares.iter_mut().zip(&correction);
        improved.for_each(|(share, change)| *share += change);
        // Converged when corrections are rounding errors: they get no smaller.
        if size < 1e-13 || (size < 1e-9 && size > last / 2.0) {
            let is_law = shares.iter().all(|&share| share > -1e-12);
            shares.iter_mut().for_each(|share| *share = share.max(0.0));
            return is_law.then_some((shares, size));
        }
        if !size.is_finite() || size > 1e6 {
            return None;
        }
        last = size;
    }
    None
}

/// The equations: every drift but that of empty queues is 0, and the shares sum to 1.
fn negated(model: &impl MeanField, shares: &[f64]) -> Vec<f64> {
    let mut drift = vec![0.0; shares.len()];
    model.drift(shares, &mut drift);
    drift[0] = shares.iter().sum::<f64>() - 1.0;
    drift.iter().map(|value| -value).collect()
}

/// Their derivatives, by central differences.
fn jacobian(model: &impl MeanField, shares: &[f64]) -> Vec<Vec<f64>> {
    const CHANGE: f64 = 1e-5;
    let size = shares.len();
    let mut matrix = vec![vec![0.0; size]; size];
    let mut at = shares.to_vec();
    let [mut above, mut below] = [vec![0.0; size], vec![0.0; size]];
    for column in 0..size {
        at[column] = shares[column] + CHANGE;
        model.drift(&at, &mut above);
        at[column] = shares[column] - CHANGE;
        model.drift(&at, &mut below);
        at[column] = shares[column];
        for row in 1..size {
            matrix[row][column] = (above[row] - below[row]) / (2.0 * CHANGE);
        }
        matrix[0][column] = 1.0;
    }
    matrix
}
