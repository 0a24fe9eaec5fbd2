use rand::Rng;

use super::sets::Tournament;
use super::view::usable;
use super::{Assignment, Needs, Tokens, View};

/// The token of the fastest idle server first, equals uniformly: O(log n) for each token that comes
/// or goes.
///
/// A speed is read when the token arrives. A learned speed is freshest then: an idle server
/// finishes nothing from which more could be learned. A caller that changes a speed later reports
/// it ([`changed`](Tokens::changed)).
///
/// A split batch is spread evenly, since all idle queues are equally empty. Speed decides which
/// servers get one job more.
#[derive(Clone, Debug)]
pub struct FastestToken {
    /// The idle servers by falling speed: the least key is that of the fastest.
    idle: Tournament<f64>,
}

impl Tokens for FastestToken {
    const NEEDS: Needs = Needs {
        queues: false,
        speeds: true,
    };

    fn all(view: &View<'_>) -> Self {
        let speeds = view.speeds().iter();
        Self {
            idle: Tournament::of(speeds.map(|&speed| -usable(speed))),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.idle.is_empty()
    }

    #[inline]
    fn hold(&mut self, server: usize, view: &View<'_>) {
        self.idle.insert(server, -view.speed(server));
    }

    #[inline]
    fn withdraw(&mut self, server: usize) {
        self.idle.remove(server);
    }

    #[inline]
    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        let server = self.idle.best(rng)?;
        self.idle.remove(server);
        Some(server)
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        out.clear();
        let held = self.idle.len().max(1);
        let (each, extra) = (jobs as usize / held, jobs as usize % held);
        let mut last_idle = None;
        for rank in 0..if each == 0 { extra } else { held } {
            let server = self.take(rng)?;
            out.give(server, (each + usize::from(rank < extra)) as u32);
            last_idle.get_or_insert(server);
        }
        last_idle
    }

    fn server_joined(&mut self, view: &View<'_>) {
        let server = view.servers() - 1;
        self.idle.server_joined(server, -view.speed(server));
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.idle.server_left(server, servers);
    }

    #[inline]
    fn changed(&mut self, server: usize, view: &View<'_>) {
        if self.idle.contains(server) {
            self.hold(server, view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against a plain map from idle servers to speeds, under any sequence of operations.
        #[test]
        fn always_a_fastest(operations in prop::collection::vec((0..6u8, any::<usize>()), 0..80)) {
            let mut rng = Seed::new(5).stream(Purpose::named("test"), 0, 0);
            let mut speeds = vec![1.0, 2.0, 2.0];
            let mut tokens = FastestToken::all(&View::of(3).with_speeds(&speeds));
            let mut model: BTreeMap<usize, f64> = speeds.iter().copied().enumerate().collect();
            for (operation, number) in operations {
                let servers = speeds.len();
                let server = number % servers;
                match operation {
                    0 => {
                        tokens.hold(server, &View::of(servers).with_speeds(&speeds));
                        model.insert(server, speeds[server]);
                    }
                    1 => {
                        tokens.withdraw(server);
                        model.remove(&server);
                    }
                    2 => {
                        let fastest = model.values().copied().reduce(f64::max);
                        let taken = tokens.take(&mut rng);
                        prop_assert_eq!(taken.map(|server| model.remove(&server)), fastest.map(Some));
                    }
                    3 => {
                        speeds.push((number % 4 + 1) as f64);
                        tokens.server_joined(&View::of(servers + 1).with_speeds(&speeds));
                        model.insert(servers, speeds[servers]);
                    }
                    4 if servers > 1 => {
                        tokens.server_left(server, servers);
                        speeds.swap_remove(server);
                        model.remove(&server);
                        if let Some(speed) = model.remove(&(servers - 1)) {
                            model.insert(server, speed);
                        }
                    }
                    5 => {
                        speeds[server] = (number % 4 + 1) as f64;
                        tokens.changed(server, &View::of(servers).with_speeds(&speeds));
                        model.entry(server).and_modify(|speed| *speed = speeds[server]);
                    }
                    _ => {}
                }
                prop_assert_eq!(tokens.idle.len(), model.len());
            }
        }
    }

    #[test]
    fn one_more_for_the_fastest() {
        let speeds = [1.0, 5.0, 3.0, 5.0];
        let view = View::of(4).with_speeds(&speeds);
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let mut out = Assignment::over(4);
        let mut tokens = FastestToken::all(&view);
        let first = tokens.spread(7, &mut rng, &mut out);
        assert!(matches!(first, Some(1 | 3)));
        assert_eq!([0, 1, 2, 3].map(|server| out.jobs(server)), [1, 2, 2, 2]);
        assert_eq!(tokens.spread(7, &mut rng, &mut out), None);
    }
}
