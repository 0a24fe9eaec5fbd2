use rand::{Rng, RngExt};

use super::view::usable;
use super::{Assignment, Needs, Tokens, View};

/// The token of the fastest idle server first, equals uniformly: O(log n) for each token that comes
/// or goes.
///
/// A speed is read when the token arrives. That is also when a learned speed is freshest: an idle
/// server finishes nothing from which more could be learned.
///
/// A split batch is still spread evenly, since all idle queues are equally empty; speed decides
/// where water-filling leaves a choice, namely who gets one job more.
#[derive(Clone, Debug)]
pub struct FastestToken {
    /// A tournament over the servers: node i has the children 2i and 2i+1, the root is 1, and
    /// server s is the leaf `leaves + s`.
    nodes: Vec<Node>,
    leaves: usize,
    held: usize,
}

/// The best of the servers below a node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    speed: f64,
    /// How many servers have that speed; 0 if nobody below is idle.
    ties: u32,
}

const NOBODY: Node = Node {
    speed: f64::NEG_INFINITY,
    ties: 0,
};

impl Node {
    fn better(a: Self, b: Self) -> Self {
        if a.speed == b.speed {
            Self {
                speed: a.speed,
                ties: a.ties + b.ties,
            }
        } else if a.speed > b.speed {
            a
        } else {
            b
        }
    }
}

impl FastestToken {
    fn set(&mut self, server: usize, leaf: Node) {
        let mut at = self.leaves + server;
        self.held = self.held + leaf.ties as usize - self.nodes[at].ties as usize;
        self.nodes[at] = leaf;
        while at > 1 {
            at /= 2;
            self.nodes[at] = Node::better(self.nodes[2 * at], self.nodes[2 * at + 1]);
        }
    }
}

impl Tokens for FastestToken {
    const NEEDS: Needs = Needs {
        queues: false,
        speeds: true,
    };

    fn all(view: &View<'_>) -> Self {
        let servers = view.servers();
        let leaves = servers.next_power_of_two();
        let mut tokens = Self {
            nodes: vec![NOBODY; 2 * leaves],
            leaves,
            held: servers,
        };
        for (leaf, &speed) in tokens.nodes[leaves..].iter_mut().zip(view.speeds()) {
            *leaf = Node {
                speed: usable(speed),
                ties: 1,
            };
        }
        for at in (1..leaves).rev() {
            tokens.nodes[at] = Node::better(tokens.nodes[2 * at], tokens.nodes[2 * at + 1]);
        }
        tokens
    }

    fn hold(&mut self, server: usize, view: &View<'_>) {
        self.set(
            server,
            Node {
                speed: view.speed(server),
                ties: 1,
            },
        );
    }

    fn withdraw(&mut self, server: usize) {
        self.set(server, NOBODY);
    }

    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        let best = self.nodes[1];
        if best.ties == 0 {
            return None;
        }
        let mut skip = if best.ties > 1 {
            rng.random_range(0..best.ties)
        } else {
            0
        };
        let mut at = 1;
        while at < self.leaves {
            at *= 2;
            let left = self.nodes[at];
            let ties = if left.speed == best.speed {
                left.ties
            } else {
                0
            };
            if skip >= ties {
                skip -= ties;
                at += 1;
            }
        }
        let server = at - self.leaves;
        self.set(server, NOBODY);
        Some(server)
    }

    fn take_evenly<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        out.clear();
        let held = self.held.max(1);
        let (each, extra) = (jobs as usize / held, jobs as usize % held);
        let mut last_idle = None;
        for rank in 0..if each == 0 { extra } else { held } {
            let server = self.take(rng)?;
            out.give(server, (each + usize::from(rank < extra)) as u32);
            last_idle.get_or_insert(server);
        }
        last_idle
    }

    fn joined(&mut self, view: &View<'_>) {
        let server = view.servers() - 1;
        if server == self.leaves {
            // Twice the room: the old tree becomes the left half of the new one.
            let mut grown = vec![NOBODY; 4 * self.leaves];
            grown[1] = self.nodes[1];
            let mut width = 1;
            while width <= self.leaves {
                grown[2 * width..3 * width].copy_from_slice(&self.nodes[width..2 * width]);
                width *= 2;
            }
            self.nodes = grown;
            self.leaves *= 2;
        }
        self.hold(server, view);
    }

    fn left(&mut self, server: usize, servers: usize) {
        let last = self.nodes[self.leaves + servers - 1];
        self.set(servers - 1, NOBODY);
        if server < servers - 1 {
            self.set(server, last);
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
        fn always_a_fastest(operations in prop::collection::vec((0..5u8, any::<usize>()), 0..80)) {
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
                        tokens.joined(&View::of(servers + 1).with_speeds(&speeds));
                        model.insert(servers, speeds[servers]);
                    }
                    4 if servers > 1 => {
                        tokens.left(server, servers);
                        speeds.swap_remove(server);
                        model.remove(&server);
                        if let Some(speed) = model.remove(&(servers - 1)) {
                            model.insert(server, speed);
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(tokens.held, model.len());
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
        let first = tokens.take_evenly(7, &mut rng, &mut out);
        assert!(matches!(first, Some(1 | 3)));
        assert_eq!([0, 1, 2, 3].map(|server| out.jobs(server)), [1, 2, 2, 2]);
        assert_eq!(tokens.take_evenly(7, &mut rng, &mut out), None);
    }
}
