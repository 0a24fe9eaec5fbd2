//! Balancing when the load has changed by a factor.

use std::fmt;

use filch_random::Stream;
use rand::seq::index;

use super::{Balance, Loads, Moves, Rivalry};

/// `factor:F:D`: Lüling and Monien, SPAA 1993.
///
/// A processor balances if its load has changed by a factor since it took part in a balancing
/// action last: it and D random others make their loads equal. (BFG03 section 1.2 states the
/// condition; how many take part was not to be had, so it is a parameter.) Here a processor looks
/// once a step: it acts if its load is at least F times what it was, or at most 1/F of it; a load
/// of 0 counts as changed as soon as there is a job. Processors take turns in the order of their
/// numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    factor: f64,
    others: usize,
    /// The load of each processor after its last balancing action.
    last: Vec<u64>,
}

impl Factor {
    /// With the factor F, above 1, and D others, at least 1 and fewer than `processors`.
    pub fn new(factor: f64, others: usize, processors: usize) -> Self {
        Self {
            factor,
            others,
            last: vec![0; processors],
        }
    }

    fn has_changed(&self, load: u64, last: u64) -> bool {
        let (now, then) = (load as f64, last as f64);
        load != last && (now >= self.factor * then || now * self.factor <= then)
    }
}

impl Rivalry for Factor {
    const FORM: &'static str = "factor:F:D";
    const MEANING: &'static str =
        "when its load has changed by the factor F, it balances with D random others";

    fn start(parameters: &[f64], processors: usize) -> Result<Self, &'static str> {
        let (factor, others) = (parameters[0], parameters[1]);
        if factor.is_nan() || factor <= 1.0 {
            return Err("the factor F must be above 1");
        }
        if others.fract() != 0.0 || others < 1.0 || others >= processors as f64 {
            return Err("D must be a whole number from 1, below the number of processors");
        }
        Ok(Self::new(factor, others as usize, processors))
    }
}

impl Balance for Factor {
    fn balance(&mut self, loads: &mut Loads, rng: &mut Stream) -> Moves {
        let mut moves = Moves::default();
        let mut group = Vec::with_capacity(self.others + 1);
        for processor in 0..loads.processors() {
            if !self.has_changed(loads.queues()[processor], self.last[processor]) {
                continue;
            }
            group.clear();
            group.push(processor);
            // The others are numbered without the processor itself.
            let drawn = index::sample(rng, loads.processors() - 1, self.others);
            group.extend(
                drawn
                    .iter()
                    .map(|other| other + usize::from(other >= processor)),
            );
            let moved = loads.equalise(&group);
            for &member in &group {
                self.last[member] = loads.queues()[member];
            }
            moves.requests += self.others as u64;
            moves.actions += u64::from(moved > 0);
            moves.moved += moved;
        }
        moves
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "factor:{}:{}", self.factor, self.others)
    }
}
