//! How requests are divided over the priorities of a cluster, as Envoy documents it.
//!
//! The health of a priority is the share of its servers that are healthy, times an overprovisioning
//! factor of 1.4, at most 100 %. Priority 0 gets its health in per cent of the requests, the next
//! one gets as much of the rest as its health allows, and so on. If all of them together have less
//! than 100 %, the shares are scaled up.

use rand::RngExt;

/// Envoy's default; other factors are not visible to a module.
const OVERPROVISIONING: f64 = 1.4;

/// The share of requests of each priority.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    of: Vec<f64>,
    /// The priority that has all requests, if one has.
    whole: Option<usize>,
}

impl Shares {
    /// From the number of healthy servers and of all servers of each priority.
    pub fn of(servers: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let health = servers.into_iter().map(|(healthy, all)| {
            if all == 0 {
                0.0
            } else {
                (OVERPROVISIONING * healthy as f64 / all as f64).min(1.0)
            }
        });
        let health: Vec<f64> = health.collect();
        let total: f64 = health.iter().sum::<f64>().min(1.0);
        let mut left = 1.0;
        let shares = health.into_iter().map(|health| {
            if total <= 0.0 {
                return 0.0;
            }
            let share = (health / total).min(left);
            left -= share;
            share
        });
        let of: Vec<f64> = shares.collect();
        let whole = of.iter().position(|&share| share >= 1.0);
        Self { of, whole }
    }

    /// The first priority that has a share.
    pub fn first(&self) -> Option<usize> {
        self.of.iter().position(|&share| share > 0.0)
    }

    /// The priority of a request; none if no server is healthy. Draws a number only if more than
    /// one priority has a share.
    #[inline]
    pub fn choose(&self, rng: &mut impl RngExt) -> Option<usize> {
        self.whole.or_else(|| self.draw(rng))
    }

    fn draw(&self, rng: &mut impl RngExt) -> Option<usize> {
        let first = self.first()?;
        let mut point: f64 = rng.random();
        for (priority, &share) in self.of.iter().enumerate().skip(first) {
            if point < share {
                return Some(priority);
            }
            point -= share;
        }
        self.of.iter().rposition(|&share| share > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(servers: &[(usize, usize)]) -> Vec<u32> {
        let shares = Shares::of(servers.iter().copied());
        let shares = shares.of.into_iter();
        shares.map(|it| (it * 100.0).round() as u32).collect()
    }

    /// The tables of Envoy's page on priority levels.
    #[test]
    fn shares_are_those_that_envoy_documents() {
        assert_eq!(shares(&[(100, 100), (100, 100)]), [100, 0]);
        assert_eq!(shares(&[(72, 100), (72, 100)]), [100, 0]);
        assert_eq!(shares(&[(71, 100), (71, 100)]), [99, 1]);
        assert_eq!(shares(&[(50, 100), (50, 100)]), [70, 30]);
        assert_eq!(shares(&[(25, 100), (100, 100)]), [35, 65]);
        assert_eq!(shares(&[(25, 100), (25, 100)]), [50, 50]);
        assert_eq!(shares(&[(0, 10), (10, 10)]), [0, 100]);
        assert_eq!(shares(&[(0, 10), (0, 10)]), [0, 0]);
        assert_eq!(shares(&[(0, 0), (3, 3)]), [0, 100]);
        assert_eq!(shares(&[]), [] as [u32; 0]);
    }

    #[test]
    fn priorities_are_chosen_by_their_shares() {
        let mut rng = filch_random::Seed::new(1).stream(filch_random::Purpose::named("test"), 0, 0);
        assert_eq!(Shares::of([(0, 5)]).choose(&mut rng), None);
        assert_eq!(Shares::of([(0, 5), (1, 1)]).choose(&mut rng), Some(1));
        let half = Shares::of([(50, 100), (50, 100)]);
        let first = (0..10_000)
            .filter(|_| half.choose(&mut rng) == Some(0))
            .count();
        // Binomial with mean 7,000 and standard deviation 46: five of them, error rate 6e-7.
        assert!(first.abs_diff(7_000) < 230, "{first}");
    }
}
