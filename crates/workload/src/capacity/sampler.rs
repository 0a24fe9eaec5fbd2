//! Drawing capacities, the innermost loop of a simulated farm.

use std::num::NonZeroU32;

use rand::Rng;
use rand::distr::Uniform;
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;

use super::Capacity;
use super::table::CapacityTable;

/// Draws capacities in constant time, made by [`Capacity::sampler`](super::Capacity::sampler).
#[derive(Clone, Debug)]
pub struct CapacitySampler {
    method: CapacityMethod,
    mean: f64,
}

#[derive(Clone, Debug)]
enum CapacityMethod {
    Constant(u32),
    Uniform(Uniform<u32>),
    /// The alias method: a table and no search, however long the table is.
    Weighted {
        capacities: Box<[u32]>,
        choice: WeightedAliasIndex<f64>,
    },
}

impl CapacitySampler {
    pub(super) fn new(capacity: &Capacity) -> Self {
        let method = match capacity {
            Capacity::Uniform { max } => up_to(*max),
            Capacity::Constant(jobs) => CapacityMethod::Constant(jobs.get()),
            Capacity::Table(table) => weighted(table),
        };
        Self {
            method,
            mean: capacity.mean(),
        }
    }

    /// The mean capacity μ_i.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// One server's capacity in one slot.
    ///
    /// A capacity that cannot vary leaves `rng` alone.
    #[inline]
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        match &self.method {
            CapacityMethod::Constant(jobs) => *jobs,
            CapacityMethod::Uniform(uniform) => uniform.sample(rng),
            CapacityMethod::Weighted { capacities, choice } => capacities[choice.sample(rng)],
        }
    }

    /// The capacities of many servers in one slot: the same numbers as from as many calls of
    /// [`CapacitySampler::sample`], faster.
    pub fn fill<R: Rng + ?Sized>(&self, rng: &mut R, capacities: &mut [u32]) {
        match &self.method {
            CapacityMethod::Constant(jobs) => capacities.fill(*jobs),
            CapacityMethod::Uniform(uniform) => capacities.fill_with(|| uniform.sample(rng)),
            CapacityMethod::Weighted {
                capacities: listed,
                choice,
            } => {
                capacities.fill_with(|| listed[choice.sample(rng)]);
            }
        }
    }
}

fn up_to(max: NonZeroU32) -> CapacityMethod {
    match max.get() {
        1 => CapacityMethod::Constant(1),
        max => CapacityMethod::Uniform(Uniform::new_inclusive(1, max).expect("1 is below max")),
    }
}

fn weighted(table: &CapacityTable) -> CapacityMethod {
    if let [(only, _)] = table.entries() {
        return CapacityMethod::Constant(only.get());
    }
    let (capacities, weights): (Vec<_>, Vec<_>) = table.scaled().unzip();
    let choice = WeightedAliasIndex::new(weights).expect("no weight exceeds 1, one equals it");
    CapacityMethod::Weighted {
        capacities: capacities.into(),
        choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_drawn_from, stream};

    fn sampler(name: &str) -> CapacitySampler {
        name.parse::<Capacity>().unwrap().sampler()
    }

    /// Draws 200 000 capacities up to `max`; a right sampler fails the chi-square test that
    /// follows once in 10 000 times.
    fn counts(name: &str, max: usize, index: u64) -> Vec<u64> {
        let mut drawn = vec![0; 200_000];
        sampler(name).fill(&mut stream(index), &mut drawn);
        let mut counts = vec![0; max];
        for jobs in drawn {
            counts[jobs as usize - 1] += 1;
        }
        counts
    }

    #[test]
    fn uniform_capacities_are_uniform() {
        assert_drawn_from(&[1.0 / 19.0; 19], &counts("uniform:10", 19, 50));
        assert_drawn_from(&[0.5; 2], &counts("uniform:1.5", 2, 51));
    }

    #[test]
    fn tables_are_followed() {
        let expected = [0.25, 0.0, 0.125, 0.0, 0.625];
        let observed = counts("table:5=5,1=2,3=1", 5, 52);
        assert_eq!(
            (observed[1], observed[3]),
            (0, 0),
            "what is not listed is not drawn"
        );
        assert_drawn_from(&expected, &observed);
    }

    /// A weight counts however small it is: of 200 000 draws, 20 are expected to be 2. None or more
    /// than 50 have probability below 1e-8.
    #[test]
    fn small_weights_are_followed() {
        let observed = counts("table:1=1,2=1e-4", 2, 55);
        assert!((1..=50).contains(&observed[1]), "{observed:?}");
        assert_eq!(counts("table:1=1,2=1e-15", 2, 56), [200_000, 0]);
    }

    #[test]
    fn constants_are_constant_and_use_no_randomness() {
        for (name, jobs) in [("uniform:1", 1), ("constant:7", 7), ("table:7=1", 7)] {
            let (mut used, mut fresh) = (stream(53), stream(53));
            assert_eq!(sampler(name).sample(&mut used), jobs);
            let mut many = [0; 5];
            sampler(name).fill(&mut used, &mut many);
            assert_eq!(many, [jobs; 5]);
            assert_eq!(used.next_u64(), fresh.next_u64(), "{name}");
        }
    }

    #[test]
    fn filling_draws_what_sampling_draws() {
        for name in ["uniform:10", "constant:3", "table:1=1,4=2"] {
            let (mut one, mut other) = (stream(54), stream(54));
            let mut filled = [0; 100];
            sampler(name).fill(&mut one, &mut filled);
            assert_eq!(
                filled,
                [(); 100].map(|()| sampler(name).sample(&mut other)),
                "{name}"
            );
            assert_eq!(one.next_u64(), other.next_u64(), "{name}");
        }
    }

    /// Published results depend on these numbers: a change here is to be announced.
    #[test]
    fn samples_are_pinned() {
        let cases: [(&str, [u32; 6]); 3] = [
            ("uniform:10", [8, 13, 9, 16, 11, 15]),
            ("uniform:1.5", [1, 2, 1, 2, 2, 2]),
            ("table:1=5,10=3,100=2", [10, 10, 10, 100, 10, 1]),
        ];
        for (name, pinned) in cases {
            let mut rng = stream(1);
            assert_eq!(
                [(); 6].map(|()| sampler(name).sample(&mut rng)),
                pinned,
                "{name}"
            );
        }
    }
}
