//! The named placements at work.

use rand::Rng;
use rand::distr::Uniform;
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;

use super::{Lengths, Place, Placement};

/// A [`Placement`] on a known number of processors, made by [`Placement::start`].
///
/// Placing takes time proportional to the number of processors, whatever the placement.
#[derive(Clone, Debug)]
pub struct Placer {
    processors: u32,
    method: PlacementMethod,
}

#[derive(Clone, Debug)]
enum PlacementMethod {
    /// Equally on the first so many processors: `each`, `one` and `k:K`.
    First(u32),
    Roam(Uniform<u32>),
    Rotate,
    Longest,
    Shortest,
    Uniform(Uniform<u32>),
    Zipf(WeightedAliasIndex<f64>),
}

impl Placer {
    /// `placement` on at least as many processors as it needs.
    pub(super) fn new(placement: Placement, processors: u32) -> Self {
        let method = match placement {
            Placement::Each => PlacementMethod::First(processors),
            Placement::One => PlacementMethod::First(1),
            Placement::First(k) => PlacementMethod::First(k.get()),
            Placement::Rotate => PlacementMethod::Rotate,
            Placement::Longest => PlacementMethod::Longest,
            Placement::Shortest => PlacementMethod::Shortest,
            Placement::Roam => PlacementMethod::Roam(any_of(processors)),
            Placement::Uniform => PlacementMethod::Uniform(any_of(processors)),
            Placement::Zipf(exponent) => {
                let weights = exponent.weights(processors).collect();
                PlacementMethod::Zipf(
                    WeightedAliasIndex::new(weights).expect("the first weight is 1"),
                )
            }
        };
        Self { processors, method }
    }
}

/// A processor, chosen uniformly.
fn any_of(processors: u32) -> Uniform<u32> {
    Uniform::new(0, processors).expect("there is a processor")
}

impl Place for Placer {
    /// An adversary that is shown no queues takes them to be empty.
    ///
    /// # Panics
    ///
    /// If `hosted` has another length than the number of processors given to [`Placement::start`].
    fn place<R: Rng + ?Sized>(&mut self, step: u64, rng: &mut R, hosted: &mut [u32]) {
        let n = self.processors;
        assert_eq!(hosted.len(), n as usize, "one element for each processor");
        hosted.fill(0);
        match &self.method {
            PlacementMethod::First(k) => {
                let (share, more) = (n / k, (n % k) as usize);
                hosted[..*k as usize].fill(share);
                hosted[..more].fill(share + 1);
            }
            PlacementMethod::Roam(host) => hosted[host.sample(rng) as usize] = n,
            PlacementMethod::Rotate => hosted[(step % u64::from(n)) as usize] = n,
            PlacementMethod::Longest | PlacementMethod::Shortest => hosted[0] = n,
            PlacementMethod::Uniform(host) => {
                for _ in 0..n {
                    hosted[host.sample(rng) as usize] += 1;
                }
            }
            PlacementMethod::Zipf(host) => {
                for _ in 0..n {
                    hosted[host.sample(rng)] += 1;
                }
            }
        }
    }

    /// # Panics
    ///
    /// As [`place`](Self::place).
    fn place_seeing<R: Rng + ?Sized>(
        &mut self,
        step: u64,
        queues: &(impl Lengths + ?Sized),
        rng: &mut R,
        hosted: &mut [u32],
    ) {
        let all = 0..queues.processors();
        // Of equals the first: `max_by_key` takes the last.
        let host = match self.method {
            PlacementMethod::Longest => all.rev().max_by_key(|&at| queues.length(at)),
            PlacementMethod::Shortest => all.min_by_key(|&at| queues.length(at)),
            _ => None,
        };
        self.place(step, rng, hosted);
        if let Some(host) = host {
            hosted.swap(0, host);
        }
    }

    fn is_fixed(&self) -> bool {
        matches!(self.method, PlacementMethod::First(_))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::any_placement;
    use super::*;
    use crate::testing::{assert_drawn_from, stream};
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, Discrete};

    fn placer(name: &str, processors: usize) -> Placer {
        name.parse::<Placement>()
            .unwrap()
            .start(processors)
            .unwrap()
    }

    fn placed(name: &str, processors: usize, step: u64) -> Vec<u32> {
        let mut hosted = vec![99; processors];
        placer(name, processors).place(step, &mut stream(60), &mut hosted);
        hosted
    }

    #[test]
    fn fixed_placements_are_exact() {
        for step in [0, 1, u64::MAX] {
            assert_eq!(placed("each", 4, step), [1, 1, 1, 1]);
            assert_eq!(placed("one", 4, step), [4, 0, 0, 0]);
            assert_eq!(placed("k:1", 4, step), [4, 0, 0, 0]);
            assert_eq!(placed("k:2", 4, step), [2, 2, 0, 0]);
            assert_eq!(placed("k:3", 4, step), [2, 1, 1, 0]);
            assert_eq!(placed("k:4", 4, step), [1, 1, 1, 1]);
            assert_eq!(placed("k:3", 8, step), [3, 3, 2, 0, 0, 0, 0, 0]);
        }
    }

    #[test]
    fn rotation_visits_all_in_turn() {
        let hosts = [[3, 0, 0], [0, 3, 0], [0, 0, 3], [3, 0, 0]];
        for (step, hosted) in (0..).zip(hosts) {
            assert_eq!(placed("rotate", 3, step), hosted);
        }
        assert_eq!(placed("rotate", 1, 5), [1]);
        // Steps are counted in 64 bits: 2³² is one more than a multiple of 3.
        assert_eq!(placed("rotate", 3, 1 << 32), [0, 3, 0]);
        assert_eq!(placed("rotate", 7, u64::MAX), [0, 7, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn adversaries_look_at_the_queues() {
        let placed = |name: &str, queues: &[u64]| {
            let mut hosted = vec![99; queues.len()];
            placer(name, queues.len()).place_seeing(4, queues, &mut stream(60), &mut hosted);
            hosted
        };
        assert_eq!(placed("longest", &[1, 7, 0, 7]), [0, 4, 0, 0]);
        assert_eq!(placed("longest", &[0, 0, 0]), [3, 0, 0]);
        assert_eq!(placed("shortest", &[1, 7, 0, 0]), [0, 0, 4, 0]);
        assert_eq!(placed("shortest", &[u64::MAX, 7]), [0, 2]);
        // The others do not.
        assert_eq!(placed("one", &[1, 7, 0, 7]), [4, 0, 0, 0]);
        assert_eq!(placed("rotate", &[1, 7, 0]), [0, 3, 0]);
    }

    /// All on one host in every step, and the host is uniform: a chi-square test that a right
    /// placement fails once in 10 000 times.
    #[test]
    fn roaming_hosts_are_uniform() {
        let mut rng = stream(59);
        let mut placer = placer("roam", 20);
        let (mut hosted, mut hosts) = ([0; 20], vec![0; 20]);
        for step in 0..20_000 {
            placer.place(step, &mut rng, &mut hosted);
            hosts[hosted.iter().position(|&hosted| hosted == 20).unwrap()] += 1;
        }
        assert_drawn_from(&[0.05; 20], &hosts);
    }

    #[test]
    #[should_panic(expected = "one element for each processor")]
    fn the_wrong_number_of_processors_is_refused() {
        placer("each", 3).place(0, &mut stream(60), &mut [0; 4]);
    }

    /// Over `steps` steps: how many generators each of 20 processors hosted in all, and how often
    /// the first hosted 0, 1, 2, … of them.
    fn tally(name: &str, steps: u64, index: u64) -> (Vec<u64>, Vec<u64>) {
        let mut rng = stream(index);
        let mut placer = placer(name, 20);
        let mut hosted = [0; 20];
        let (mut totals, mut on_first) = (vec![0; 20], vec![0; 21]);
        for step in 0..steps {
            placer.place(step, &mut rng, &mut hosted);
            for (total, hosted) in totals.iter_mut().zip(hosted) {
                *total += u64::from(hosted);
            }
            on_first[hosted[0] as usize] += 1;
        }
        (totals, on_first)
    }

    /// Each generator chooses for itself and anew in every step: the totals are multinomial, and
    /// the number on one processor is binomial from step to step. Both are chi-square tests that
    /// a right placement fails once in 10 000 times.
    #[test]
    fn random_placements_have_their_distribution() {
        for (index, (name, exponent)) in [
            ("uniform", 0.0),
            ("zipf:0", 0.0),
            ("zipf:0.5", 0.5),
            ("zipf:1.5", 1.5),
        ]
        .into_iter()
        .enumerate()
        {
            let weights: Vec<f64> = (1..=20).map(|i| f64::from(i).powf(-exponent)).collect();
            let whole: f64 = weights.iter().sum();
            let probabilities: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
            let first = Binomial::new(probabilities[0], 20).unwrap();
            let binomial: Vec<f64> = (0..=20).map(|count| first.pmf(count)).collect();

            let (totals, on_first) = tally(name, 20_000, 61 + index as u64);
            assert_drawn_from(&probabilities, &totals);
            assert_drawn_from(&binomial, &on_first);
        }
    }

    /// Published results depend on these numbers: a change here is to be announced.
    #[test]
    fn samples_are_pinned() {
        let cases: [(&str, [u32; 8]); 2] = [
            ("uniform", [0, 1, 0, 2, 1, 2, 2, 0]),
            ("zipf:1", [4, 0, 1, 1, 1, 1, 0, 0]),
        ];
        for (name, pinned) in cases {
            let mut hosted = [0; 8];
            placer(name, 8).place(0, &mut stream(1), &mut hosted);
            assert_eq!(hosted, pinned, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_generator_is_lost(
            placement in any_placement(), extra in 0usize..100, step in any::<u64>(), index in 0u64..99,
        ) {
            let needed = if let Placement::First(k) = placement { k.get() as usize } else { 1 };
            let processors = needed + extra;
            let mut placer = placement.start(processors)?;
            let mut rng = stream(index);
            let mut hosted = vec![7; processors];
            placer.place(step, &mut rng, &mut hosted);
            prop_assert_eq!(hosted.iter().sum::<u32>() as usize, processors);

            prop_assert_eq!(placer.is_fixed(), placement.is_fixed());
            if placer.is_fixed() {
                let before = hosted.clone();
                placer.place(step.wrapping_add(1), &mut rng, &mut hosted);
                prop_assert_eq!(hosted, before);
            }
        }
    }
}
