//! The (P, M)-recycling game: BL99 section 5.

use std::collections::VecDeque;

use filch_random::Stream;
use rand::RngExt;

/// What the adversary of the game sees.
#[derive(Clone, Copy, Debug)]
pub struct GameTable<'a> {
    /// Balls in the reservoir.
    pub reservoir: usize,
    /// Tosses that are left.
    pub tosses: u64,
    /// How many balls are in each bin.
    pub bins: &'a [usize],
}

/// The adversary's part: how many balls to toss in a step. (Which of the balls are taken out
/// changes no delay, as the proof of Lemma 6 observes; so they are taken first in, first out.)
pub trait Tosser {
    /// How many of the balls in the reservoir to toss now. If none is in a bin, it must be at least
    /// one; it is cut to what there is.
    fn toss(&mut self, table: &GameTable<'_>) -> usize;
}

/// Tosses whatever is in the reservoir.
#[derive(Clone, Copy, Debug)]
pub struct AllAtOnce;

impl Tosser for AllAtOnce {
    fn toss(&mut self, table: &GameTable<'_>) -> usize {
        table.reservoir
    }
}

/// Waits until all balls are back, then tosses all.
#[derive(Clone, Copy, Debug)]
pub struct Bursts;

impl Tosser for Bursts {
    fn toss(&mut self, table: &GameTable<'_>) -> usize {
        if table.reservoir == table.bins.len() {
            table.reservoir
        } else {
            0
        }
    }
}

/// Tosses one ball a step.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne;

impl Tosser for OneByOne {
    fn toss(&mut self, _table: &GameTable<'_>) -> usize {
        1
    }
}

/// Tosses all balls while some bin is crowded, so that new ones queue behind old, and otherwise a
/// half.
#[derive(Clone, Copy, Debug)]
pub struct Crowd;

impl Tosser for Crowd {
    fn toss(&mut self, table: &GameTable<'_>) -> usize {
        if table.bins.iter().any(|&balls| balls > 2) {
            table.reservoir
        } else {
            table.reservoir.div_ceil(2)
        }
    }
}

/// Waits until a part of the balls is in the reservoir, then tosses all of those, as long as a bin
/// holds a ball: between [`AllAtOnce`] and [`Bursts`].
#[derive(Clone, Copy, Debug)]
pub struct Hoard {
    /// The part, from 0 to 1.
    pub part: f64,
}

impl Tosser for Hoard {
    fn toss(&mut self, table: &GameTable<'_>) -> usize {
        if table.reservoir as f64 >= self.part * table.bins.len() as f64 {
            table.reservoir
        } else {
            0
        }
    }
}

/// How a game went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    /// D: over all steps, the balls that were left in bins.
    pub total: u64,
    /// How often each ball was tossed.
    pub tosses: Vec<u64>,
}

/// Plays until M balls were tossed and all are back. There are as many bins as balls.
pub fn recycle(balls: usize, tosses: u64, adversary: &mut impl Tosser, rng: &mut Stream) -> Delay {
    let mut reservoir: VecDeque<usize> = (0..balls).collect();
    let mut bins = vec![VecDeque::new(); balls];
    let mut counts = vec![0; balls];
    let mut delay = Delay {
        total: 0,
        tosses: vec![0; balls],
    };
    let mut left = tosses;
    while left > 0 || reservoir.len() < balls {
        let table = GameTable {
            reservoir: reservoir.len(),
            tosses: left,
            bins: &counts,
        };
        let mut now = adversary.toss(&table);
        if reservoir.len() == balls {
            now = now.max(1);
        }
        for _ in 0..(now.min(reservoir.len()) as u64).min(left) {
            let ball = reservoir.pop_front().expect("no more than there are");
            let bin = rng.random_range(0..balls);
            bins[bin].push_back(ball);
            counts[bin] += 1;
            delay.tosses[ball] += 1;
            left -= 1;
        }
        for (bin, count) in bins.iter_mut().zip(&mut counts) {
            if let Some(ball) = bin.pop_front() {
                *count -= 1;
                reservoir.push_back(ball);
            }
            delay.total += *count as u64;
        }
    }
    delay
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use filch_stats::Moments;

    const GAME: Purpose = Purpose::named("game");

    fn mean(balls: usize, tosses: u64, adversary: &mut impl Tosser, games: u64) -> (f64, f64) {
        let mut delays = Moments::default();
        for game in 0..games {
            let mut rng = Seed::new(1).stream(GAME, game, balls as u64);
            delays.push(recycle(balls, tosses, adversary, &mut rng).total as f64);
        }
        (delays.mean().unwrap(), delays.std_error().unwrap())
    }

    /// All P balls tossed once, at once: a bin with k balls delays them k(k − 1)/2 steps together,
    /// so that the mean is that of pairs that share a bin, P(P − 1)/2 · 1/P. Five standard errors
    /// are passed by chance once in 1.7 million tests.
    #[test]
    fn one_burst_has_an_exact_mean() {
        for balls in [1, 2, 7, 40] {
            let exact = (balls as f64 - 1.0) / 2.0;
            let (mean, error) = mean(balls, balls as u64, &mut AllAtOnce, 20_000);
            assert!(
                (mean - exact).abs() <= 5.0 * error,
                "{balls}: {mean} ± {error}"
            );
        }
    }

    /// Bursts are independent, so M = kP tosses have k times that mean.
    #[test]
    fn bursts_add_up() {
        let (mean, error) = mean(6, 60, &mut Bursts, 20_000);
        assert!((mean - 25.0).abs() <= 5.0 * error, "{mean} ± {error}");
    }

    /// A ball that is alone is never delayed.
    #[test]
    fn one_by_one_no_ball_waits() {
        let mut rng = Seed::new(1).stream(GAME, 0, 0);
        assert_eq!(recycle(10, 500, &mut OneByOne, &mut rng).total, 0);
    }

    /// Two balls always in play. After a step either both are in the reservoir (state 0) or one is
    /// in a bin behind the other that left (state 1, delay 1). From 0 both are tossed: 1 with
    /// probability 1/2. From 1 the free ball is tossed, into the other's bin with probability 1/2,
    /// where it waits: 1 again; else both are taken: 0. So the delay of step t is Bernoulli(1/2),
    /// independent of all before, and the state decides how many tosses a step takes. With M = 4
    /// the mean delay is found by the recursion below.
    #[test]
    fn two_balls_agree_with_the_chain() {
        // E(state, left): the mean delay still to come.
        fn expected(state: u8, left: u64) -> f64 {
            match (state, left) {
                // The ball that is left in its bin is taken out in the next step.
                (_, 0) => 0.0,
                // One ball can be tossed; it goes into an empty bin.
                (0, 1) => 0.0,
                (0, _) => 0.5 * (1.0 + expected(1, left - 2)) + 0.5 * expected(0, left - 2),
                (_, _) => 0.5 * (1.0 + expected(1, left - 1)) + 0.5 * expected(0, left - 1),
            }
        }
        for tosses in [2, 4, 9] {
            let exact = expected(0, tosses);
            let (mean, error) = mean(2, tosses, &mut AllAtOnce, 40_000);
            assert!(
                (mean - exact).abs() <= 5.0 * error,
                "{tosses}: {mean} ± {error}, {exact}"
            );
        }
    }

    #[test]
    fn every_toss_is_counted() {
        let mut rng = Seed::new(1).stream(GAME, 0, 0);
        for tosses in [0, 1, 17, 1000] {
            let delay = recycle(9, tosses, &mut Crowd, &mut rng);
            assert_eq!(delay.tosses.iter().sum::<u64>(), tosses);
        }
    }
}
