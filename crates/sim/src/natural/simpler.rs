//! Chain Z.

use filch_policy::steal::Steal;
use filch_workload::{Lengths, Place, Probability};
use rand::distr::Bernoulli;
use rand::{Rng, RngExt};
use rand_distr::Distribution;

/// The Markov chain Z of BFG03, Figure 2, from a state with one heavily loaded processor.
///
/// Z does not count the jobs of a heavily loaded processor but how often its load has been split: L
/// = 2^z at the start, and every steal halves L for thief and victim. A processor with L > 0 never
/// asks again. The others have queues of jobs, Y.
#[derive(Clone, Debug)]
pub struct Simpler<P, F> {
    place: P,
    job: Bernoulli,
    steal: F,
    /// lg L of each heavily loaded processor.
    heavy: Vec<Option<i64>>,
    /// Y.
    light: Vec<u64>,
    hosted: Vec<u32>,
    asked: Vec<(u32, usize)>,
    /// The gifts of part 4, which part 5 carries out.
    gifts: Vec<PendingGift>,
    step: u64,
}

/// What an asked processor k allocates to the recipient ℓ that it chose.
#[derive(Clone, Copy, Debug)]
struct PendingGift {
    giver: usize,
    recipient: usize,
    /// lg of L(k)/2, if k is heavily loaded.
    half: Option<i64>,
    /// f(Y′(k)).
    jobs: u64,
}

/// What an adversary sees of Z: a heavily loaded processor has more jobs than any other, and the
/// more the larger its L.
struct SimplerLengths<'a> {
    heavy: &'a [Option<i64>],
    light: &'a [u64],
}

impl Lengths for SimplerLengths<'_> {
    fn processors(&self) -> usize {
        self.light.len()
    }

    fn length(&self, processor: usize) -> u64 {
        const HEAVY: u64 = 1 << 63;
        match self.heavy[processor] {
            Some(lg) => HEAVY.saturating_add_signed(lg),
            None => self.light[processor],
        }
    }
}

/// How a run of [`Simpler`] ended: the two times that Lemmas 13 and 14 are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Ψ, the first step after which some L is 1; `None` if the run ended before.
    pub splits: Option<u64>,
    /// τ′, the first step after which enough requests have been made; `None` if that did not happen
    /// within the steps of the run.
    pub requests: Option<u64>,
    /// Whether all processors became heavily loaded. Then no processor asks any more, and a time
    /// that is `None` is infinite. (It need not happen: a host of many generators may never ask.)
    pub all_heavy: bool,
}

impl Ended {
    /// The event of Lemma 13, Ψ ≤ τ′.
    pub fn splits_before_requests(&self) -> bool {
        match (self.splits, self.requests) {
            (Some(splits), Some(requests)) => splits <= requests,
            (splits, _) => splits.is_some(),
        }
    }

    /// The event of Lemma 14, τ′ ≤ T.
    pub fn requests_within(&self, steps: u64) -> bool {
        self.requests.is_some_and(|requests| requests <= steps)
    }
}

impl<P: Place, F: Steal> Simpler<P, F> {
    /// Z(x): the processor `heavy` has L = 2^`splits`, the others have the queues `light`.
    ///
    /// # Panics
    ///
    /// If `heavy` is no processor.
    pub fn new(
        mut light: Vec<u64>,
        heavy: usize,
        splits: u32,
        place: P,
        lambda: Probability,
        steal: F,
    ) -> Self {
        let processors = light.len();
        light[heavy] = 0;
        let mut loads = vec![None; processors];
        loads[heavy] = Some(i64::from(splits));
        Self {
            place,
            job: Bernoulli::new(lambda.get()).expect("λ is a probability"),
            steal,
            heavy: loads,
            light,
            hosted: vec![0; processors],
            asked: vec![(0, 0); processors],
            gifts: Vec::new(),
            step: 0,
        }
    }

    /// lg L of each processor; `None` where L is 0.
    pub fn heavy(&self) -> &[Option<i64>] {
        &self.heavy
    }

    /// Y of each processor.
    pub fn light(&self) -> &[u64] {
        &self.light
    }

    /// From Z_t to Z_{t+1}; returns R′, the number of requests.
    pub fn step<R: Rng>(&mut self, rng: &mut R) -> u64 {
        let processors = self.light.len();
        // Parts 1 and 2. The jobs of a heavily loaded processor's generators are not counted.
        let seen = SimplerLengths {
            heavy: &self.heavy,
            light: &self.light,
        };
        self.place
            .place_seeing(self.step, &seen, rng, &mut self.hosted);
        // They are drawn all the same: on the stream of a coupling, Z then makes the coupled steps.
        for (processor, &generators) in self.hosted.iter().enumerate() {
            let jobs = (0..generators).map(|_| u64::from(self.job.sample(rng)));
            let jobs: u64 = jobs.sum();
            if self.heavy[processor].is_none() {
                self.light[processor] += jobs;
            }
        }
        // Part 3, and the choice of part 4.
        self.asked.fill((0, 0));
        let mut made = 0;
        for recipient in 0..processors {
            if self.heavy[recipient].is_none() && self.light[recipient] == 0 {
                made += 1;
                let (requests, chosen) = &mut self.asked[rng.random_range(0..processors)];
                *requests += 1;
                if rng.random_range(0..*requests) == 0 {
                    *chosen = recipient;
                }
            }
        }
        // The rest of part 4: every gift comes out of L_t and Y′_t, before any is carried out. A
        // processor that asked has neither, whatever it is about to receive.
        self.gifts.clear();
        for (giver, &(requests, recipient)) in self.asked.iter().enumerate() {
            if requests > 0 {
                self.gifts.push(PendingGift {
                    giver,
                    recipient,
                    half: self.heavy[giver].map(|splits| splits - 1),
                    jobs: self.steal.jobs(self.light[giver]),
                });
            }
        }
        // Part 5. A recipient has L_t = 0, so what it gains is its whole L.
        for gift in &self.gifts {
            if gift.half.is_some() {
                self.heavy[gift.giver] = gift.half;
                self.heavy[gift.recipient] = gift.half;
            }
            self.light[gift.giver] -= gift.jobs;
            self.light[gift.recipient] += gift.jobs;
        }
        for (light, heavy) in self.light.iter_mut().zip(&self.heavy) {
            *light = match heavy {
                Some(_) => 0,
                None => light.saturating_sub(1),
            };
        }
        self.step += 1;
        made
    }

    /// Runs until `requests` requests have been made (c·n·lg n), until all processors are heavily
    /// loaded, or for `most_steps` steps.
    pub fn run<R: Rng>(&mut self, requests: f64, most_steps: u64, rng: &mut R) -> Ended {
        let mut ended = Ended {
            splits: None,
            requests: None,
            all_heavy: false,
        };
        let mut made = 0;
        for time in 1..=most_steps {
            made += self.step(rng);
            if ended.splits.is_none() && self.heavy.contains(&Some(0)) {
                ended.splits = Some(time);
            }
            if made as f64 >= requests {
                ended.requests = Some(time);
                break;
            }
            if self.heavy.iter().all(Option::is_some) {
                ended.all_heavy = true;
                break;
            }
        }
        ended
    }

    /// Whether `requests` requests are made within `steps` steps: the event of Lemma 14, τ′ ≤ T.
    ///
    /// A heavily loaded processor never asks again, so at most n − M requests are made in any later
    /// step, where M is the number of those. The run ends as soon as that is not enough, however
    /// large T is.
    pub fn requests_within<R: Rng>(&mut self, requests: f64, steps: u64, rng: &mut R) -> bool {
        let mut made = 0;
        for time in 0..steps {
            let may_ask = (self.light.len() - self.heavily_loaded()) as f64;
            if (made as f64) + may_ask * ((steps - time) as f64) < requests {
                return false;
            }
            made += self.step(rng);
            if made as f64 >= requests {
                return true;
            }
        }
        false
    }

    /// How many processors are heavily loaded.
    pub fn heavily_loaded(&self) -> usize {
        self.heavy.iter().flatten().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::steal::StealFunction;
    use filch_random::{Purpose, Seed};
    use filch_workload::{Placement, Placer};

    fn chain(processors: usize, splits: u32, lambda: f64) -> Simpler<Placer, StealFunction> {
        let place = Placement::Each.start(processors).unwrap();
        let lambda = Probability::new(lambda).unwrap();
        let light = vec![0; processors];
        let heavy = processors - 1;
        Simpler::new(light, heavy, splits, place, lambda, StealFunction::HALF)
    }

    /// Lemma 16: up to Ψ every L is 0 or 2^j with 0 ≤ j ≤ z, the L of all processors add up to 2^z,
    /// and a heavily loaded processor stays one.
    #[test]
    fn the_sum_of_l_is_constant() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 3, 0);
        let mut chain = chain(50, 40, 0.3);
        let mut before = 1;
        for _ in 0..200 {
            chain.step(&mut rng);
            let sum: u64 = chain
                .heavy
                .iter()
                .flatten()
                .map(|&splits| 1u64 << splits)
                .sum();
            assert_eq!(sum, 1 << 40);
            let now = chain.heavily_loaded();
            assert!(now >= before);
            before = now;
        }
        assert_eq!(before, 50);
    }

    /// With two processors, the second asks the heavy one with probability 1/2 in every step and is
    /// heavy from then on. So the number of requests is geometric, and so is the time of the first
    /// split (z = 1). 4000 runs; a correct program fails the chi-square test with probability 1e-4.
    #[test]
    fn two_processors_are_geometric() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 4, 0);
        let mut counts = [0; 8];
        for _ in 0..4000 {
            let mut chain = chain(2, 1, 0.0);
            let ended = chain.run(f64::INFINITY, 1000, &mut rng);
            assert!(ended.all_heavy && ended.splits_before_requests());
            counts[(ended.splits.unwrap() as usize - 1).min(7)] += 1;
        }
        let mut probabilities: Vec<f64> = (1..8).map(|k| 0.5f64.powi(k)).collect();
        probabilities.push(0.5f64.powi(7));
        let p = filch_stats::chi_square(&counts, &probabilities).unwrap();
        assert!(p > 1e-4, "{p:e}");
    }

    /// On the same draws, the event is the same whether or not the run is cut short.
    #[test]
    fn the_event_of_lemma_14_is_decided_early() {
        let mut seen = [0; 2];
        for (c, run) in [0.5, 1.0, 1.2, 1.4, 3.0]
            .into_iter()
            .flat_map(|c| (0..40).map(move |run| (c, run)))
        {
            let requests = c * 32.0 * 5.0;
            let stream = || Seed::default().stream(Purpose::named("tests"), 5, run);
            let slow = chain(32, 90, 0.5).run(requests, 60, &mut stream());
            let fast = chain(32, 90, 0.5).requests_within(requests, 60, &mut stream());
            assert_eq!(fast, slow.requests_within(60), "{c} {run}");
            seen[usize::from(fast)] += 1;
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    }

    #[test]
    fn the_events() {
        let ended = |splits, requests| Ended {
            splits,
            requests,
            all_heavy: false,
        };
        assert!(ended(Some(3), Some(3)).splits_before_requests());
        assert!(!ended(Some(4), Some(3)).splits_before_requests());
        assert!(ended(Some(4), None).splits_before_requests());
        assert!(!ended(None, Some(3)).splits_before_requests());
        assert!(!ended(None, None).splits_before_requests());
        assert!(ended(None, Some(3)).requests_within(3));
        assert!(!ended(None, Some(4)).requests_within(3));
        assert!(!ended(None, None).requests_within(3));
    }
}
