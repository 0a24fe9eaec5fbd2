//! The atomic-access model of BL99 section 5: requests to a deque queue up, one is served a step.

use rand::{Rng, RngExt};

use super::adversary::Adversary;

/// The requests that wait, a list for each deque. A processor has at most one request out.
///
/// The lists run through one array of links, so that a million processors take 16 MB and a step
/// costs time only for those that ask or are asked.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    adversary: Adversary,
    lists: Vec<List>,
    /// The thief behind each thief in its list.
    behind: Vec<u32>,
    /// The deques with requests.
    asked: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct List {
    front: u32,
    back: u32,
    length: u32,
}

const NONE: u32 = u32::MAX;

impl Requests {
    pub(super) fn new(processors: usize, adversary: Adversary) -> Self {
        let empty = List {
            front: NONE,
            back: NONE,
            length: 0,
        };
        Self {
            adversary,
            lists: vec![empty; processors],
            behind: vec![NONE; processors],
            asked: Vec::new(),
        }
    }

    /// `thief` asks `victim`.
    pub(super) fn ask(&mut self, thief: usize, victim: usize) {
        let list = &mut self.lists[victim];
        let new = thief as u32;
        if list.length == 0 {
            self.asked.push(victim as u32);
            (list.front, list.back) = (new, new);
            self.behind[thief] = NONE;
        } else if self.adversary == Adversary::Lifo {
            self.behind[thief] = list.front;
            list.front = new;
        } else {
            self.behind[list.back as usize] = new;
            self.behind[thief] = NONE;
            list.back = new;
        }
        list.length += 1;
    }

    /// Serves one request to each deque that has any: `served(thief, victim)`.
    pub(super) fn serve<R: Rng>(&mut self, rng: &mut R, mut served: impl FnMut(usize, usize)) {
        let mut asked = std::mem::take(&mut self.asked);
        asked.retain(|&victim| {
            let thief = self.choose(victim as usize, rng);
            served(thief, victim as usize);
            self.lists[victim as usize].length > 0
        });
        self.asked = asked;
    }

    /// Takes one request out of a list that is not empty.
    fn choose<R: Rng>(&mut self, victim: usize, rng: &mut R) -> usize {
        let list = &mut self.lists[victim];
        list.length -= 1;
        let place = match self.adversary {
            Adversary::Random if list.length > 0 => rng.random_range(0..=list.length),
            _ => 0,
        };
        let (mut before, mut thief) = (NONE, list.front);
        for _ in 0..place {
            (before, thief) = (thief, self.behind[thief as usize]);
        }
        let behind = self.behind[thief as usize];
        match before {
            NONE => list.front = behind,
            _ => self.behind[before as usize] = behind,
        }
        if behind == NONE {
            list.back = before;
        }
        thief as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use filch_stats::chi_square_uniform;

    /// The order in which deque 0 serves processors 1, 2, 3 asking in one step and 4 in the next.
    fn order(adversary: Adversary, replication: u64) -> Vec<usize> {
        let mut rng = Seed::new(1).stream(Purpose::named("serving"), replication, 0);
        let mut requests = Requests::new(5, adversary);
        let mut order = Vec::new();
        for thief in [1, 2, 3] {
            requests.ask(thief, 0);
        }
        requests.serve(&mut rng, |thief, _| order.push(thief));
        requests.ask(4, 0);
        for _ in 0..5 {
            requests.serve(&mut rng, |thief, victim| {
                assert_eq!(victim, 0);
                order.push(thief);
            });
        }
        order
    }

    #[test]
    fn first_come_first_served() {
        assert_eq!(order(Adversary::Fifo, 0), [1, 2, 3, 4]);
    }

    #[test]
    fn last_come_first_served() {
        assert_eq!(order(Adversary::Lifo, 0), [3, 4, 2, 1]);
    }

    /// A request served at random is any of those that wait; a fair choice fails this once in a
    /// million times.
    #[test]
    fn at_random_everybody_has_the_same_chance() {
        let (mut first, mut second) = ([0; 3], [0; 4]);
        for replication in 0..3000 {
            let order = order(Adversary::Random, replication);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [1, 2, 3, 4], "each thief once");
            first[order[0] - 1] += 1;
            second[order[1] - 1] += 1;
        }
        assert!(chi_square_uniform(&first).unwrap() > 1e-6, "{first:?}");
        // Processor 4 waits in the second step always, each of the others in two of three runs.
        let expected = [2.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0, 1.0 / 3.0];
        assert!(
            filch_stats::chi_square(&second, &expected).unwrap() > 1e-6,
            "{second:?}"
        );
    }

    /// Two deques are served in the same step, and independently.
    #[test]
    fn every_deque_serves_one_a_step() {
        let mut rng = Seed::new(1).stream(Purpose::named("serving"), 0, 0);
        let mut requests = Requests::new(4, Adversary::Fifo);
        for (thief, victim) in [(0, 2), (1, 3), (2, 2), (3, 3)] {
            requests.ask(thief, victim);
        }
        let mut steps = Vec::new();
        for _ in 0..3 {
            let mut served = Vec::new();
            requests.serve(&mut rng, |thief, victim| served.push((thief, victim)));
            steps.push(served);
        }
        assert_eq!(steps, [vec![(0, 2), (1, 3)], vec![(2, 2), (3, 3)], vec![]]);
    }
}
