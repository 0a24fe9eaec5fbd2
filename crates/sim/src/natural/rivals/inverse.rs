//! Balancing with a probability of one over the load.

use std::fmt;

use filch_policy::steal::Victim;
use filch_random::Stream;
use rand::RngExt;

use super::{Balance, Loads, Moves, Rivalry};

/// `inverse`: Rudolph, Slivkin-Allalouf and Upfal, SPAA 1991.
///
/// A processor that accesses its queue balances with a probability inversely proportional to its
/// length: it looks at the queue of a random other processor, and the two make them equal. (So
/// BFG03 section 1.2 describes it; the paper itself was not at hand.) Here a processor accesses its
/// queue once a step, with probability 1/load, which is certain for a load of one job or none;
/// processors take turns in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inverse;

impl Rivalry for Inverse {
    const FORM: &'static str = "inverse";
    const MEANING: &'static str = "each balances with a random other, with probability 1/load";

    fn start(_: &[f64], _: usize) -> Result<Self, &'static str> {
        Ok(Self)
    }
}

impl Balance for Inverse {
    fn balance(&mut self, loads: &mut Loads, rng: &mut Stream) -> Moves {
        let mut moves = Moves::default();
        for processor in 0..loads.processors() {
            let load = loads.queues()[processor];
            if load > 1 && rng.random_range(0..load) != 0 {
                continue;
            }
            let others = loads.processors();
            if let Some(other) = Victim::UniformOther.choose(processor, others, rng) {
                let moved = loads.equalise(&[processor, other]);
                moves.requests += 1;
                moves.actions += u64::from(moved > 0);
                moves.moved += moved;
            }
        }
        moves
    }
}

impl fmt::Display for Inverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::FORM)
    }
}
