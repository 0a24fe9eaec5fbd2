//! When jobs arrive, in continuous time.

use rand::Rng;
use rand_distr::{Distribution, Exp1};

use crate::error::Invalid;
use crate::number::Short;

/// When jobs arrive in continuous time, batch after batch; also a process of the caller's own.
pub trait ArriveInTime {
    /// The time from the previous batch to the next, and the number of its jobs.
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> (f64, u32);
}

impl ArriveInTime for ArrivalTimes {
    #[inline]
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> (f64, u32) {
        let unit: f64 = Exp1.sample(rng);
        (f64::from(self.batch) / self.rate * unit, self.batch)
    }
}

/// Batches of equal size at the instants of a Poisson process: single jobs where the size is 1.
///
/// In slots this is [`Arrivals`](crate::Arrivals). An open loop needs the instants themselves,
/// before it starts, so that no response can delay an arrival (coordinated omission).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivalTimes {
    rate: f64,
    batch: u32,
}

impl ArrivalTimes {
    /// `rate` jobs per unit of time in batches of `batch`, so `rate` / `batch` batches.
    pub fn new(rate: f64, batch: u32) -> Result<Self, Invalid> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Invalid::value(
                Short(rate),
                "the arrival rate must be a number above 0",
            ));
        }
        if batch == 0 {
            return Err(Invalid::value(batch, "a batch has at least 1 job"));
        }
        Ok(Self { rate, batch })
    }

    /// Jobs per unit of time.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Jobs in a batch.
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// The instants at which batches arrive, from 0 on and without end.
    pub fn instants<R: Rng>(self, mut rng: R) -> impl Iterator<Item = f64> {
        let mut law = self;
        let mut now = 0.0;
        std::iter::repeat_with(move || {
            now += law.next_batch(&mut rng).0;
            now
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_drawn_from, stream};
    use statrs::distribution::{Discrete, Poisson};

    #[test]
    fn bad_numbers_are_explained() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ArrivalTimes::new(rate, 1).is_err(), "{rate}");
        }
        let error = ArrivalTimes::new(1.0, 0).unwrap_err();
        assert_eq!(error.to_string(), "0: a batch has at least 1 job");
    }

    /// Batches in a unit of time are Poisson with mean rate / batch, here 30 / 10. A correct
    /// sampler fails with probability 10⁻⁴.
    #[test]
    fn counts_are_poisson() {
        let law = Poisson::new(3.0).unwrap();
        let mut probabilities: Vec<f64> = (0..9).map(|count| law.pmf(count)).collect();
        probabilities.push(1.0 - probabilities.iter().sum::<f64>());
        let mut counts = vec![0u64; 50_000];
        let times = ArrivalTimes::new(30.0, 10).unwrap();
        for instant in times.instants(stream(1)) {
            let Some(count) = counts.get_mut(instant as usize) else {
                break;
            };
            *count += 1;
        }
        let mut observed = vec![0; 10];
        for count in counts {
            observed[count.min(9) as usize] += 1;
        }
        assert_drawn_from(&probabilities, &observed);
    }
}
