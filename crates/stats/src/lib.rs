//! Estimators for simulation output.
//!
//! A simulation prints numbers whether or not they mean anything. This crate answers the questions
//! to ask about them, in the order in which to ask them. It knows no simulation, reads no clock and
//! draws no random numbers: the same values always give the same answer.
//!
//! Take a server that finishes one job a step and is sent two at once in a third of all steps;
//! `load` is how many jobs wait after each step.
//!
//! ```
//! # let mut state = 7u64;
//! # let mut arrivals = move || {
//! #     state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
//! #     if (state >> 33) % 3 == 0 { 2.0 } else { 0.0 }
//! # };
//! # let mut x: f64 = 0.0;
//! # let mut step = || { x = (x + arrivals() - 1.0).max(0.0); x };
//! # let load: Vec<f64> = (0..20_000).map(|_| step()).collect();
//! use filch_stats::stability::{self, Verdict};
//! use filch_stats::{Confidence, Histogram, batch_means, mser5};
//!
//! // 1. Does the system keep up at all? Without that there is no mean to estimate.
//! let stability = stability::assess(&load)?;
//! assert_eq!(stability.verdict, Verdict::Stable);
//!
//! // 2. From where on does the start, an empty server, no longer bias the mean?
//! let warm_up = mser5(&load)?;
//! assert!(!warm_up.at_edge);
//! let steady = warm_up.rest(&load);
//!
//! // 3. What is the mean, how precise is it, and is its interval valid?
//! let mean = batch_means(steady, Confidence::NINETY_FIVE)?;
//! assert!(mean.independent());
//! assert!(mean.estimate.interval().contains(1.0)); // the exact answer
//!
//! // 4. How does the tail look? Load k + 1 is half as frequent as k, so 90 % are at most 3.
//! let histogram: Histogram = steady.iter().map(|&x| x as u64).collect();
//! assert_eq!(histogram.quantile(0.9), Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which estimator
//!
//! | question | answer |
//! |---|---|
//! | does the load stay bounded? | [`stability::assess`], with two stated error rates |
//! | the same after a known warm-up | [`stability::verdict_after`] |
//! | mean over independent runs | [`replications`] |
//! | mean over one long run | [`mser5`], then [`batch_means`] |
//! | is A better than B? | [`paired`] on runs with the same seeds |
//! | quantiles, distribution function | [`Histogram`]; [`CoarseHistogram`] in bounded memory |
//! | how does it grow? | [`power_law`], [`line`](line()) |
//! | the course of a run of any length | [`BinnedTrajectory`] |
//! | do counts fit a distribution? | [`chi_square`] |
//! | are these too many errors? | [`most_errors`] |
//! | partial results of many threads | [`Moments::merge`], [`Histogram::merge`] in a fixed order |
//!
//! # What an interval promises
//!
//! The interval of an [`Estimate`] at 95 % contains the truth in 95 of 100 runs *if its values are
//! independent*. Replications are. Batches of one run are if they are long enough; [`BatchMeans`]
//! tests that and reports the result. The tests of this crate measure the coverage of every
//! interval.

mod batch_means;
mod binned_trajectory;
mod chi_square;
mod coarse_histogram;
mod confidence;
mod decimal;
mod fit;
mod histogram;
mod interval;
mod moments;
mod most_errors;
mod paired;
#[cfg(test)]
mod processes;
pub mod stability;
mod too_few;
mod two_sample;
mod von_neumann;
mod warmup;

pub use batch_means::{BATCHES, BatchMeans, batch_means, batch_means_of};
pub use binned_trajectory::BinnedTrajectory;
pub use chi_square::{chi_square, chi_square_uniform};
pub use coarse_histogram::CoarseHistogram;
pub use confidence::{BadConfidence, Confidence};
pub use fit::{LinearFit, PowerLaw, line, power_law};
pub use histogram::{CdfPoint, Histogram};
pub use interval::{Estimate, Interval, replications};
pub use moments::Moments;
pub use most_errors::most_errors;
pub use paired::{Comparison, NotPaired, Paired, paired};
pub use too_few::TooFew;
pub use two_sample::kolmogorov_smirnov;
pub use von_neumann::{lag1_autocorrelation, von_neumann_ratio};
pub use warmup::{WarmUp, mser5};
