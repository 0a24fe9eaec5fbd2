//! Two choices for each job.

use std::fmt;

use filch_random::Stream;
use rand::RngExt;

use super::{Balance, Loads, Moves, Rivalry};

/// `two-choices`: Adler, Berenbrink and Schröder, ESA 1998.
///
/// Each job chooses between two random servers as it arrives, and the jobs of a round choose in
/// parallel. (So the paper's abstract describes it; the rest was not at hand.) Here a job compares
/// the queues as they were before the round, joins the shorter, and tosses a coin if they are
/// equal; where it was made does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwoChoices {
    /// The queues without the jobs of the round.
    before: Vec<u64>,
}

impl Rivalry for TwoChoices {
    const FORM: &'static str = "two-choices";
    const MEANING: &'static str = "each new job joins the shorter of two random queues";

    fn start(_: &[f64], _: usize) -> Result<Self, &'static str> {
        Ok(Self::default())
    }
}

impl Balance for TwoChoices {
    fn balance(&mut self, loads: &mut Loads, rng: &mut Stream) -> Moves {
        let mut moves = Moves::default();
        let processors = loads.processors();
        self.before.clear();
        let old = |processor| loads.queues()[processor] - loads.fresh(processor);
        self.before.extend((0..processors).map(old));
        for maker in 0..processors {
            for _ in 0..loads.fresh(maker) {
                let [one, other] = [(); 2].map(|()| rng.random_range(0..processors));
                let (a, b) = (self.before[one], self.before[other]);
                let coin = a == b && rng.random();
                let chosen = if a < b || coin { one } else { other };
                let moved = loads.move_jobs(maker, chosen, 1);
                moves.requests += 2;
                moves.actions += moved;
                moves.moved += moved;
            }
        }
        moves
    }
}

impl fmt::Display for TwoChoices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::FORM)
    }
}
