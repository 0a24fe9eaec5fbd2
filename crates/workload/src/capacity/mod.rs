//! How many jobs a server can complete in a slot.

mod sampler;
mod serve;
mod table;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

pub use sampler::CapacitySampler;
pub use serve::{CapacityLaw, Serve};
pub use table::CapacityTable;

use crate::error::{Invalid, Names};
use crate::number::{self, Short};

/// The distribution of a server's capacity s_i(t), the number of jobs that it can complete in a
/// slot, drawn anew in every slot.
///
/// PI's equation (1) asks for 1 ≤ s_i(t) ≤ s_max, and every value of this type satisfies it.
/// [`Capacity::sampler`] makes what draws from it.
#[derive(Clone, Debug, PartialEq)]
pub enum Capacity {
    /// `uniform:M`: uniform on 1, …, 2M−1, so that the mean is M; the servers of PI section 4.1.
    ///
    /// M may be any multiple of 0.5 from 1 on. The paper says that its servers are uniform, at
    /// least 1, and that the fast ones do ten times as much: slow is `uniform:1`, always 1, and
    /// fast is `uniform:10`, from 1 to 19.
    Uniform {
        /// The largest capacity, 2M−1.
        max: NonZeroU32,
    },
    /// `constant:K`: K in every slot.
    Constant(NonZeroU32),
    /// `table:V=W,V=W,…`: V with probability proportional to the weight W.
    Table(CapacityTable),
}

impl Capacity {
    /// How capacities are typed, and what they mean.
    pub const NAMES: Names = &[
        ("uniform:M", "uniform on 1, …, 2M−1, so that the mean is M"),
        ("constant:K", "K in every slot"),
        (
            "table:V=W,V=W,…",
            "V with probability proportional to the weight W",
        ),
    ];

    /// The largest M of `uniform:M`, where 2M−1 is the largest number of 32 bits.
    const MAX_MEAN: f64 = (u32::MAX as f64 + 1.0) / 2.0;

    /// The uniform distribution on 1, …, 2·`mean`−1.
    pub fn uniform(mean: f64) -> Result<Self, Invalid> {
        Self::checked_uniform(mean).map_err(|needs| Invalid::value(Short(mean), needs))
    }

    fn checked_uniform(mean: f64) -> Result<Self, String> {
        if !(1.0..=Self::MAX_MEAN).contains(&mean) {
            return Err(format!(
                "the mean must be a number from 1 to {}",
                Self::MAX_MEAN
            ));
        }
        let max = 2.0 * mean - 1.0;
        if max.fract() != 0.0 {
            let below = (2.0 * mean).floor() / 2.0;
            return Err(format!(
                "the mean must be a multiple of 0.5: use {below} or {}",
                below + 0.5
            ));
        }
        Ok(Self::Uniform {
            max: NonZeroU32::new(max as u32).expect("the mean is at least 1"),
        })
    }

    /// The mean capacity μ_i.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Uniform { max } => (f64::from(max.get()) + 1.0) / 2.0,
            Self::Constant(jobs) => f64::from(jobs.get()),
            Self::Table(table) => table.mean(),
        }
    }

    /// The variance of the capacity, σ_{s_i}² in PI section 2.1.
    pub fn variance(&self) -> f64 {
        match self {
            Self::Uniform { max } => (f64::from(max.get()).powi(2) - 1.0) / 12.0,
            Self::Constant(_) => 0.0,
            Self::Table(table) => table.variance(),
        }
    }

    /// The largest capacity, s_max in PI's equation (1).
    pub fn max(&self) -> u32 {
        match self {
            Self::Uniform { max } => max.get(),
            Self::Constant(jobs) => jobs.get(),
            Self::Table(table) => table.max(),
        }
    }

    /// Makes what draws capacities; servers with the same description can share one.
    pub fn sampler(&self) -> CapacitySampler {
        CapacitySampler::new(self)
    }
}

impl FromStr for Capacity {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let capacity = match text.split_once(':') {
            // What is not a number is a mean outside of the bounds.
            Some(("uniform", mean)) => {
                Self::checked_uniform(number::real(mean).unwrap_or(f64::NAN))
            }
            Some(("constant", jobs)) => number::integer(jobs)
                .and_then(NonZeroU32::new)
                .map(Self::Constant)
                .ok_or_else(|| "the capacity must be an integer from 1 to 4294967295".to_owned()),
            Some(("table", entries)) => CapacityTable::parse(entries).map(Self::Table),
            _ => return Err(Invalid::unknown("capacity", text, Self::NAMES)),
        };
        capacity.map_err(|needs| Invalid::value(text, needs))
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform { .. } => write!(f, "uniform:{}", self.mean()),
            Self::Constant(jobs) => write!(f, "constant:{jobs}"),
            Self::Table(table) => write!(f, "table:{table}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_names_are_explained() {
        for text in ["uniform", "unifrom:3", "", "table", "Constant:1"] {
            assert_eq!(
                text.parse::<Capacity>().unwrap_err().to_string(),
                format!("unknown capacity '{text}': use uniform:M, constant:K or table:V=W,V=W,…")
            );
        }
        let mean = "the mean must be a number from 1 to 2147483648";
        let jobs = "the capacity must be an integer from 1 to 4294967295";
        let cases = [
            ("uniform:0", mean),
            ("uniform:0.5", mean),
            ("uniform:-3", mean),
            ("uniform:1e10", mean),
            ("uniform:nan", mean),
            ("uniform:x", mean),
            (
                "uniform:1.3",
                "the mean must be a multiple of 0.5: use 1 or 1.5",
            ),
            (
                "uniform:2.75",
                "the mean must be a multiple of 0.5: use 2.5 or 3",
            ),
            ("constant:0", jobs),
            ("constant:1.5", jobs),
            ("constant:+1", jobs),
            ("constant:4294967296", jobs),
        ];
        for (text, needs) in cases {
            let message = text.parse::<Capacity>().unwrap_err().to_string();
            assert_eq!(message, format!("{text}: {needs}"));
        }
        assert_eq!(
            Capacity::uniform(1.3).unwrap_err().to_string(),
            "1.3: the mean must be a multiple of 0.5: use 1 or 1.5"
        );
    }

    #[test]
    fn every_listed_form_is_a_name() {
        let examples = ["uniform:1.5", "constant:4", "table:1=2,3=4"];
        assert_eq!(Capacity::NAMES.len(), examples.len());
        for ((form, _), example) in Capacity::NAMES.iter().zip(examples) {
            assert_eq!(form.split(':').next(), example.split(':').next());
            assert!(example.parse::<Capacity>().is_ok(), "{example}");
        }
    }

    #[test]
    fn moments_are_those_of_the_distribution() {
        let cases = [
            ("uniform:1", 1.0, 0.0, 1),
            ("uniform:1.5", 1.5, 0.25, 2),
            ("uniform:10", 10.0, 30.0, 19),
            (
                "uniform:2147483648",
                2147483648.0,
                (4294967295.0 * 4294967295.0 - 1.0) / 12.0,
                u32::MAX,
            ),
            ("constant:7", 7.0, 0.0, 7),
            ("table:1=3,5=1", 2.0, 3.0, 5),
        ];
        for (text, mean, variance, max) in cases {
            let capacity: Capacity = text.parse().unwrap();
            let moments = (capacity.mean(), capacity.variance(), capacity.max());
            assert_eq!(moments, (mean, variance, max), "{text}");
        }
    }

    fn any_capacity() -> impl Strategy<Value = Capacity> {
        let jobs = || (1..=u32::MAX).prop_map(|jobs| NonZeroU32::new(jobs).unwrap());
        let entries = prop::collection::btree_map(1..=u32::MAX, f64::MIN_POSITIVE..1e300, 1..9);
        prop_oneof![
            jobs().prop_map(|max| Capacity::Uniform { max }),
            jobs().prop_map(Capacity::Constant),
            entries.prop_map(|entries| Capacity::Table(CapacityTable::new(entries).unwrap())),
        ]
    }

    proptest! {
        #[test]
        fn capacities_are_read_as_printed(capacity in any_capacity()) {
            prop_assert_eq!(capacity.to_string().parse(), Ok(capacity));
        }

        #[test]
        fn every_capacity_satisfies_equation_1(capacity in any_capacity(), index in 0u64..100) {
            let jobs = capacity.sampler().sample(&mut crate::testing::stream(index));
            prop_assert!((1..=capacity.max()).contains(&jobs));
            prop_assert!(capacity.mean() >= 1.0);
            prop_assert!(capacity.mean() <= f64::from(capacity.max()));
        }

        #[test]
        fn nothing_that_is_typed_panics(text in "(uniform|constant|table):[0-9.=,e+-]*|.*") {
            if let Err(error) = text.parse::<Capacity>() {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
