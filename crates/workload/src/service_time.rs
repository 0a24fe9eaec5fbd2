//! How long one job keeps a server busy, in continuous time.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand_distr::{Distribution, Exp1, Pareto};

use crate::error::{Invalid, Names};
use crate::number::{self, Short};

/// How long one job keeps a server busy: a law of service times, also one of the caller's own.
///
/// [`ServiceTime`] implements it for the laws that have names. A law of one's own needs two
/// methods. Under this one, one job in ten takes ten times as long as the others:
///
/// ```
/// use filch_workload::ServiceLaw;
/// use rand::{Rng, RngExt};
///
/// #[derive(Clone, Debug)]
/// struct TwoKinds;
///
/// impl ServiceLaw for TwoKinds {
///     fn mean(&self) -> f64 {
///         1.9
///     }
///
///     fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> f64 {
///         if rng.random_bool(0.1) { 10.0 } else { 1.0 }
///     }
/// }
/// ```
pub trait ServiceLaw {
    /// The mean time, above 0. Policies that decide by speeds see 1 / mean.
    fn mean(&self) -> f64;

    /// Draws the time that the next job takes.
    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> f64;
}

impl ServiceLaw for ServiceTime {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> f64 {
        Self::sample(self, rng)
    }
}

/// The law of the time that a server needs for one job, if it has a name.
///
/// In PI's farm a server finishes a number of jobs in each slot ([`Capacity`](crate::Capacity)). In
/// front of real servers time is continuous, and each job takes a time of its own. The unit of time
/// is the caller's; in front of servers it is the millisecond.
///
/// ```
/// use filch_workload::ServiceTime;
///
/// let slow: ServiceTime = "exp:100".parse()?;
/// assert_eq!((slow.mean(), slow.speed()), (100.0, 0.01));
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceTime {
    law: Law,
    mean: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    Exponential,
    Constant,
    /// With this shape, above 1.
    Pareto(f64),
}

impl ServiceTime {
    /// How service times are typed, and what they mean.
    pub const NAMES: Names = &[
        ("exp:M", "exponential with mean M"),
        ("constant:M", "always M"),
        (
            "pareto:A:M",
            "Pareto with shape A > 1 and mean M: few jobs hold most of the work (A ≤ 2: infinite variance)",
        ),
    ];

    const NEEDS_MEAN: &str = "the mean service time must be a number above 0, at most 1000000000";
    const NEEDS_SHAPE: &str = "the shape must be a number above 1, or there is no mean";
    const MOST: f64 = 1e9;

    /// Exponential with mean `mean`.
    pub fn exponential(mean: f64) -> Result<Self, Invalid> {
        Self::checked(Law::Exponential, mean)
    }

    fn checked(law: Law, mean: f64) -> Result<Self, Invalid> {
        if mean > 0.0 && mean <= Self::MOST {
            Ok(Self { law, mean })
        } else {
            Err(Invalid::value(Short(mean), Self::NEEDS_MEAN))
        }
    }

    /// The mean time.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Jobs per unit of time of a server that is never idle.
    pub fn speed(&self) -> f64 {
        1.0 / self.mean
    }

    /// Draws the time that one job takes.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        match self.law {
            Law::Exponential => {
                let unit: f64 = Exp1.sample(rng);
                self.mean * unit
            }
            Law::Constant => self.mean,
            Law::Pareto(shape) => {
                let least = self.mean * (shape - 1.0) / shape;
                Pareto::new(least, shape)
                    .expect("a positive least time and a shape above 1")
                    .sample(rng)
            }
        }
    }
}

impl FromStr for ServiceTime {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let unknown = || Invalid::unknown("service time", text, Self::NAMES);
        let (name, parameters) = text.split_once(':').ok_or_else(unknown)?;
        let (law, mean) = match name {
            "exp" => (Law::Exponential, parameters),
            "constant" => (Law::Constant, parameters),
            "pareto" => {
                let (shape, mean) = parameters.split_once(':').ok_or_else(unknown)?;
                let shape = number::real(shape)
                    .filter(|&shape| shape > 1.0)
                    .ok_or_else(|| Invalid::value(text, Self::NEEDS_SHAPE))?;
                (Law::Pareto(shape), mean)
            }
            _ => return Err(unknown()),
        };
        number::real(mean)
            .and_then(|mean| Self::checked(law, mean).ok())
            .ok_or_else(|| Invalid::value(text, Self::NEEDS_MEAN))
    }
}

impl fmt::Display for ServiceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.law {
            Law::Exponential => write!(f, "exp:{}", Short(self.mean)),
            Law::Constant => write!(f, "constant:{}", Short(self.mean)),
            Law::Pareto(shape) => write!(f, "pareto:{}:{}", Short(shape), Short(self.mean)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_drawn_from, stream};
    use proptest::prelude::*;

    #[test]
    fn bad_laws_are_explained() {
        for (text, message) in [
            (
                "exp",
                "unknown service time 'exp': use exp:M, constant:M or pareto:A:M",
            ),
            (
                "exp:0",
                "exp:0: the mean service time must be a number above 0, at most 1000000000",
            ),
            (
                "constant:2e9",
                "constant:2e9: the mean service time must be a number above 0, at most 1000000000",
            ),
            (
                "pareto:1:5",
                "pareto:1:5: the shape must be a number above 1, or there is no mean",
            ),
            (
                "pareto:2",
                "unknown service time 'pareto:2': use exp:M, constant:M or pareto:A:M",
            ),
        ] {
            let error = text.parse::<ServiceTime>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    /// Twenty cells of equal probability, by each distribution function. A correct sampler fails
    /// with probability 10⁻⁴ for each law.
    #[test]
    fn times_have_their_distribution() {
        const CELLS: usize = 20;
        let least = 10.0 * 1.5 / 2.5;
        let exponential = |time: f64| 1.0 - (-time / 10.0).exp();
        let pareto = |time: f64| 1.0 - (least / time).powf(2.5);
        let laws: [(&str, &dyn Fn(f64) -> f64); 2] =
            [("exp:10", &exponential), ("pareto:2.5:10", &pareto)];
        for (at, (text, below)) in laws.into_iter().enumerate() {
            let law: ServiceTime = text.parse().unwrap();
            let mut rng = stream(at as u64);
            let mut observed = vec![0; CELLS];
            for _ in 0..200_000 {
                let cell = (below(law.sample(&mut rng)) * CELLS as f64) as usize;
                observed[cell.min(CELLS - 1)] += 1;
            }
            assert_drawn_from(&[1.0 / CELLS as f64; CELLS], &observed);
        }
        let constant: ServiceTime = "constant:3".parse().unwrap();
        assert_eq!(constant.sample(&mut stream(9)), 3.0);
    }

    proptest! {
        #[test]
        fn laws_are_read_as_printed(kind in 0..3u8, shape in 1.001..50.0f64, mean in 1e-9..1e9f64) {
            let law = [Law::Exponential, Law::Constant, Law::Pareto(shape)][usize::from(kind)];
            let time = ServiceTime::checked(law, mean)?;
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }
}
