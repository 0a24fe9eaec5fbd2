//! The best adversary of the recycling game, by dynamic programming.

use std::collections::HashMap;

use super::recycling::{GameTable, Tosser};

/// The adversary that makes the expected total delay as large as it can be.
///
/// What matters of the table is how many bins hold how many balls, not which: a *state* is the list
/// of the numbers in the bins that are not empty, largest first. With m tosses left, the adversary
/// tosses the k for which the expected delay of this step and of all that follow is largest. The
/// states are the partitions of at most P, so that P is limited to some ten balls.
#[derive(Clone, Debug)]
pub struct BestAdversary {
    states: Vec<Vec<usize>>,
    index: HashMap<Vec<usize>, usize>,
    /// For each number of tosses left and each state: the expected delay from there, and how many
    /// balls to toss.
    best: Vec<Vec<(f64, usize)>>,
}

impl BestAdversary {
    /// For P balls and up to `tosses` tosses.
    ///
    /// # Panics
    ///
    /// If there are no balls, or more than 12.
    pub fn new(balls: usize, tosses: u64) -> Self {
        assert!((1..=12).contains(&balls), "from 1 to 12 balls");
        let states = partitions(balls);
        let index: HashMap<Vec<usize>, usize> = states.iter().cloned().zip(0..).collect();
        let served: Vec<(usize, f64)> = states.iter().map(|state| serve(state, &index)).collect();
        let tossed: Vec<Vec<Vec<(usize, f64)>>> = states
            .iter()
            .enumerate()
            .map(|(at, state)| {
                let free = balls - state.iter().sum::<usize>();
                let mut after = vec![(at, 1.0)];
                let mut all = vec![after.clone()];
                for _ in 0..free {
                    after = toss(&after, &states, &index, balls);
                    all.push(after.clone());
                }
                all
            })
            .collect();
        let mut best: Vec<Vec<(f64, usize)>> = Vec::new();
        for left in 0..=tosses as usize {
            // States come with fewer balls first: one without a toss leads to one with fewer.
            let mut values: Vec<(f64, usize)> = Vec::new();
            for (at, ways) in tossed.iter().enumerate() {
                let is_empty = states[at].is_empty();
                if is_empty && left == 0 {
                    values.push((0.0, 0));
                    continue;
                }
                let most = (ways.len() - 1).min(left);
                let choices = usize::from(is_empty)..=most;
                let value = |k: usize| -> f64 {
                    let outcomes = ways[k].iter().map(|&(state, probability)| {
                        let (next, delay) = served[state];
                        let rest = if k == 0 {
                            values[next].0
                        } else {
                            best[left - k][next].0
                        };
                        probability * (delay + rest)
                    });
                    outcomes.sum()
                };
                let choices = choices.map(|k| (value(k), k));
                let chosen = choices.max_by(|a, b| a.0.total_cmp(&b.0));
                values.push(chosen.expect("a ball can be tossed or taken out"));
            }
            best.push(values);
        }
        Self {
            states,
            index,
            best,
        }
    }

    /// The expected total delay of a game of so many tosses: no adversary reaches more.
    ///
    /// # Panics
    ///
    /// If there are more tosses than this was made for.
    pub fn expected_delay(&self, tosses: u64) -> f64 {
        self.best[tosses as usize][self.index[&Vec::new()]].0
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.states.len()
    }
}

impl Tosser for BestAdversary {
    fn toss(&mut self, table: &GameTable<'_>) -> usize {
        let mut state: Vec<usize> = table.bins.iter().copied().filter(|&bin| bin > 0).collect();
        state.sort_unstable_by(|a, b| b.cmp(a));
        self.best[table.tosses as usize][self.index[&state]].1
    }
}

/// The partitions of 0, 1, … up to `most`.
fn partitions(most: usize) -> Vec<Vec<usize>> {
    fn extend(left: usize, largest: usize, parts: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if left == 0 {
            all.push(parts.clone());
        }
        for part in (1..=largest.min(left)).rev() {
            parts.push(part);
            extend(left - part, part, parts, all);
            parts.pop();
        }
    }
    let mut all = Vec::new();
    for sum in 0..=most {
        extend(sum, sum, &mut Vec::new(), &mut all);
    }
    all
}

/// One ball is taken out of each bin: the state that is left, and the balls in it.
fn serve(state: &[usize], index: &HashMap<Vec<usize>, usize>) -> (usize, f64) {
    let left: Vec<usize> = state
        .iter()
        .map(|bin| bin - 1)
        .filter(|&bin| bin > 0)
        .collect();
    let balls = left.iter().sum::<usize>() as f64;
    (index[&left], balls)
}

/// The law after one more ball is tossed into one of `bins` bins.
fn toss(
    law: &[(usize, f64)],
    states: &[Vec<usize>],
    index: &HashMap<Vec<usize>, usize>,
    bins: usize,
) -> Vec<(usize, f64)> {
    let mut after = vec![0.0; states.len()];
    for &(at, probability) in law {
        let state = &states[at];
        let each = probability / bins as f64;
        for bin in 0..state.len() {
            let mut hit = state.clone();
            hit[bin] += 1;
            hit.sort_unstable_by(|a, b| b.cmp(a));
            after[index[&hit]] += each;
        }
        let mut fresh = state.clone();
        fresh.push(1);
        after[index[&fresh]] += each * (bins - state.len()) as f64;
    }
    let reached = after.into_iter().enumerate();
    reached
        .filter(|(_, probability)| *probability > 0.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::recycling::{AllAtOnce, Bursts, Crowd, OneByOne, recycle};
    use super::*;
    use filch_random::{Purpose, Seed};
    use filch_stats::Moments;

    fn mean(balls: usize, tosses: u64, adversary: &mut impl Tosser) -> (f64, f64) {
        let mut delays = Moments::default();
        for game in 0..20_000 {
            let mut rng = Seed::new(1).stream(Purpose::named("best"), game, balls as u64);
            delays.push(recycle(balls, tosses, adversary, &mut rng).total as f64);
        }
        (delays.mean().unwrap(), delays.std_error().unwrap())
    }

    /// Two balls: tossed together they meet with probability 1/2, which delays one of them by one
    /// step; tossed apart they never do. With a meeting, the free ball can be tossed at once, and
    /// joins the other (which is taken out in that step) with probability 1/2.
    #[test]
    fn two_balls_by_hand() {
        let best = BestAdversary::new(2, 3);
        assert_eq!(best.expected_delay(1), 0.0);
        assert_eq!(best.expected_delay(2), 0.5);
        // After a meeting (½) one ball waits: toss the other onto it, meeting again with ½.
        assert_eq!(best.expected_delay(3), 0.5 + 0.5 * 0.5);
    }

    /// Played, it has the expected delay that was computed, within five standard errors.
    #[test]
    fn played_as_computed() {
        for (balls, tosses) in [(2, 9), (3, 20), (5, 30)] {
            let mut best = BestAdversary::new(balls, tosses);
            let exact = best.expected_delay(tosses);
            let (mean, error) = mean(balls, tosses, &mut best);
            assert!(
                (mean - exact).abs() <= 5.0 * error,
                "{balls}: {mean} ± {error}, {exact}"
            );
        }
    }

    /// No other adversary does better, beyond five standard errors.
    #[test]
    fn others_do_no_better() {
        for (balls, tosses) in [(3, 20), (5, 30)] {
            let exact = BestAdversary::new(balls, tosses).expected_delay(tosses);
            let others = [
                mean(balls, tosses, &mut AllAtOnce),
                mean(balls, tosses, &mut Bursts),
                mean(balls, tosses, &mut OneByOne),
                mean(balls, tosses, &mut Crowd),
            ];
            for (mean, error) in others {
                assert!(mean <= exact + 5.0 * error, "{balls}: {mean} beats {exact}");
            }
        }
    }

    /// Lemma 6, exactly: the expected delay of the best adversary is at most M.
    #[test]
    fn at_most_as_many_as_tosses() {
        for balls in 1..=6 {
            let best = BestAdversary::new(balls, 60);
            for tosses in 1..=60 {
                assert!(
                    best.expected_delay(tosses) <= tosses as f64,
                    "{balls} {tosses}"
                );
            }
        }
    }

    #[test]
    fn partitions_are_counted() {
        // 1 + 1 + 2 + 3 + 5 + 7 + 11.
        assert_eq!(BestAdversary::new(6, 0).states(), 30);
    }
}
