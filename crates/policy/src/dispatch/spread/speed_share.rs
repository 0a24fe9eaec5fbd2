use alloc::vec::Vec;

use rand::{Rng, RngExt};

use super::super::scratch::Scratch;
use super::super::view::usable;
use super::{AnyToken, Assignment, Needs, Spread, View};

/// A split batch is spread over the idle servers in proportion to their speeds: one of the rules
/// that equation 7 of PI allows. Slow servers may get nothing.
///
/// A server gets its share rounded down. The jobs that are left go to the servers with the largest
/// remainders, one each, equals at random.
#[derive(Clone, Debug)]
pub struct SpeedShare {
    speeds: Vec<f64>,
    /// The idle servers, while a batch is spread.
    idle: Scratch<u32>,
    /// What rounding down took from each of them.
    remainders: Scratch<(f64, u32)>,
}

impl Spread for SpeedShare {
    const NEEDS: Needs = Needs {
        queues: false,
        speeds: true,
    };

    fn over(view: &View<'_>) -> Self {
        let speeds = view.speeds().iter();
        Self {
            speeds: speeds.map(|&speed| usable(speed)).collect(),
            idle: Scratch::with_capacity(view.servers()),
            remainders: Scratch::with_capacity(view.servers()),
        }
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        tokens: &mut AnyToken,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        tokens.list(&mut self.idle);
        if self.idle.is_empty() || jobs == 0 {
            return None;
        }
        out.clear();
        // Speeds that no share can be computed from: all servers are alike.
        let total: f64 = self.idle.iter().map(|&at| self.speeds[at as usize]).sum();
        let plain = !(total > 0.0 && total.is_finite());
        let each = f64::from(jobs) / self.idle.len() as f64;
        let mut left = jobs;
        self.remainders.clear();
        for &server in self.idle.iter() {
            let share = if plain {
                each
            } else {
                f64::from(jobs) * (self.speeds[server as usize] / total)
            };
            // Rounding errors must not make the sum larger than the batch.
            let whole = (libm::floor(share) as u32).min(left);
            out.give(server as usize, whole);
            left -= whole;
            self.remainders.push((share - libm::floor(share), server));
        }
        // In random order first, so that equals are taken at random.
        for at in (1..self.remainders.len()).rev() {
            self.remainders.swap(at, rng.random_range(0..=at));
        }
        // Stable sorting would allocate; the order among equals is random either way.
        self.remainders.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        for &(_, server) in self.remainders.iter().cycle().take(left as usize) {
            out.give(server as usize, 1);
        }
        tokens.give_back(out, rng)
    }

    fn learn(&mut self, server: usize, view: &View<'_>) {
        self.speeds[server] = view.speed(server);
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.speeds.push(view.speed(view.servers() - 1));
        self.idle.clear();
        self.idle.reserve(view.servers());
        self.remainders.clear();
        self.remainders.reserve(view.servers());
    }

    fn server_left(&mut self, server: usize) {
        self.speeds.swap_remove(server);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SpreadTokens, Tokens as _};
    use super::*;
    use filch_random::{Purpose, Seed};

    #[test]
    fn shares_follow_speeds() {
        let speeds = [1.0, 10.0, 10.0, 1.0, 4.0];
        let view = View::of(5).with_speeds(&speeds);
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let mut out = Assignment::over(5);
        let mut tokens = SpreadTokens::<SpeedShare>::all(&view);
        tokens.withdraw(4);
        // 22 in all: exact shares.
        tokens.spread(44, &mut rng, &mut out);
        assert_eq!(out.by_server(), [2, 20, 20, 2, 0]);
        assert!(tokens.is_empty());
        // Two jobs: the fast ones have the largest remainders, and the slow ones stay idle.
        (0..4).for_each(|server| tokens.hold(server, &view));
        let last = tokens.spread(2, &mut rng, &mut out);
        assert_eq!(out.by_server(), [0, 1, 1, 0, 0]);
        assert!(matches!(last, Some(1 | 2)) && !tokens.is_empty());
    }
}
