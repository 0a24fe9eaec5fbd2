//! Figure 2 of BFG03, chain Z, as exact probabilities; and chain Z beside it.

use std::collections::HashMap;

use filch_policy::steal::{Steal, StealFunction};
use filch_random::{Purpose, Seed};
use filch_sim::natural::Simpler;
use filch_stats::chi_square;
use filch_workload::{Placement, Probability};

/// 2^z at the start: larger than any run can split it away.
const SPLITS: u32 = 20;

/// L and Y.
type State = (Vec<u64>, Vec<u64>);
type Law = HashMap<State, f64>;

/// λ, f, and how many generators each processor hosts.
struct ChainZ {
    lambda: f64,
    steal: StealFunction,
    hosted: Vec<u32>,
}

impl ChainZ {
    /// The law after `steps` steps from `start`.
    fn law(&self, start: State, steps: usize) -> Law {
        let mut law = Law::from([(start, 1.0)]);
        for _ in 0..steps {
            let mut next = Law::new();
            for (state, probability) in law {
                self.step(&state, probability, &mut next);
            }
            law = next;
        }
        law
    }

    /// Part 2: every number of jobs for each processor.
    fn step(&self, (l, y): &State, probability: f64, next: &mut Law) {
        let mut outcomes = vec![(y.clone(), probability)];
        for processor in 0..l.len() {
            if l[processor] > 0 {
                continue;
            }
            for _ in 0..self.hosted[processor] {
                let with = outcomes.iter().map(|(y, probability)| {
                    let mut y = y.clone();
                    y[processor] += 1;
                    (y, probability * self.lambda)
                });
                let with: Vec<_> = with.collect();
                for outcome in &mut outcomes {
                    outcome.1 *= 1.0 - self.lambda;
                }
                outcomes.extend(with);
            }
        }
        for (y, probability) in outcomes {
            self.requests(l, &y, probability, next);
        }
    }

    /// Part 3: every r′.
    fn requests(&self, l: &[u64], y: &[u64], probability: f64, next: &mut Law) {
        let n = l.len();
        let askers: Vec<usize> = (0..n).filter(|&i| l[i] == 0 && y[i] == 0).collect();
        let ways = n.pow(askers.len() as u32);
        for way in 0..ways {
            let mut code = way;
            let mut asked = vec![Vec::new(); n];
            for &asker in &askers {
                asked[code % n].push(asker);
                code /= n;
            }
            self.recipients(l, y, &asked, probability / ways as f64, next);
        }
    }

    /// Parts 4 and 5: every choice of recipients.
    fn recipients(
        &self,
        l: &[u64],
        y: &[u64],
        asked: &[Vec<usize>],
        probability: f64,
        next: &mut Law,
    ) {
        let n = l.len();
        let ways: usize = asked.iter().map(|askers| askers.len().max(1)).product();
        for way in 0..ways {
            let mut code = way;
            let [mut l_plus, mut l_minus, mut j_plus, mut j_minus] = [0; 4].map(|_| vec![0; n]);
            for (k, askers) in asked.iter().enumerate().filter(|(_, a)| !a.is_empty()) {
                let recipient = askers[code % askers.len()];
                code /= askers.len();
                l_plus[recipient] = l[k] / 2;
                l_minus[k] = l[k] / 2;
                j_plus[recipient] = self.steal.jobs(y[k]);
                j_minus[k] = self.steal.jobs(y[k]);
            }
            let l_next: Vec<u64> = (0..n).map(|i| l[i] + l_plus[i] - l_minus[i]).collect();
            let y_next = (0..n).map(|i| match l_next[i] {
                0 => (y[i] + j_plus[i] - j_minus[i]).saturating_sub(1),
                _ => 0,
            });
            let y_next = y_next.collect();
            *next.entry((l_next, y_next)).or_default() += probability / ways as f64;
        }
    }
}

/// The law of Z after one, two and three steps on three and four processors, against the figure:
/// a chi-square test each. A correct program fails one of the 27 with probability 0.003.
#[test]
fn chain_z_has_the_law_of_the_figure() {
    let starts: [(usize, Vec<u64>); 3] = [
        (0, vec![0, 0, 0]),
        (2, vec![6, 0, 0]),
        (1, vec![0, 0, 5, 0]),
    ];
    for (number, (heavy, light)) in starts.into_iter().enumerate() {
        for (case, (placement, lambda)) in [
            (Placement::One, 0.5),
            (Placement::Each, 0.3),
            (Placement::One, 0.0),
        ]
        .into_iter()
        .enumerate()
        {
            let n = light.len();
            let steal = StealFunction::HALF;
            let hosted = match placement {
                Placement::One => (0..n).map(|i| if i == 0 { n as u32 } else { 0 }).collect(),
                _ => vec![1; n],
            };
            let figure = ChainZ {
                lambda,
                steal,
                hosted,
            };
            let mut l = vec![0; n];
            l[heavy] = 1 << SPLITS;
            for steps in 1..=3 {
                let law = figure.law((l.clone(), light.clone()), steps);
                let mut states: Vec<&State> = law.keys().collect();
                states.sort();
                let place = |state: &State| states.binary_search(&state).expect("a state");
                let mut counts = vec![0; states.len()];
                let mut rng =
                    Seed::new(5).stream(Purpose::named("tests"), number as u64, case as u64);
                for _ in 0..5_000 {
                    let mut chain = Simpler::new(
                        light.clone(),
                        heavy,
                        SPLITS,
                        placement.start(n).unwrap(),
                        Probability::new(lambda).unwrap(),
                        steal,
                    );
                    for _ in 0..steps {
                        chain.step(&mut rng);
                    }
                    let l = chain.heavy().iter();
                    let l = l.map(|lg| lg.map_or(0, |lg| 1 << lg)).collect();
                    counts[place(&(l, chain.light().to_vec()))] += 1;
                }
                let probabilities: Vec<f64> = states.iter().map(|state| law[state]).collect();
                let p = chi_square(&counts, &probabilities);
                let case = (&light, heavy, placement, lambda, steps);
                assert!(p.is_none_or(|p| p > 1e-4), "{case:?}: {p:?}");
            }
        }
    }
}
