//! The delay sequence that occurs in a run.

use super::augmented::Augmented;
use super::rounds::StealRound;

/// A delay sequence (U, R, Π) of BL99's Definition 8 that occurs in a run.
///
/// U is found backwards from the last instruction of the root thread: before u comes its
/// predecessor in G′ that was executed last. At every step one instruction of U is critical. A
/// round in which it stays so belongs to its group; a round in which it is executed is its π′.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelaySequence {
    /// U: a maximal path in G′.
    pub path: Vec<usize>,
    /// R: the number of rounds.
    pub rounds: u64,
    /// For each instruction of U how many rounds it stayed critical through.
    pub groups: Vec<u64>,
    /// For each instruction of U the rounds in which it was critical first and then executed: 0 or
    /// 1.
    pub between: Vec<u64>,
}

impl DelaySequence {
    /// Of a run in which each instruction was executed in the step `executed` says, and `last` is
    /// the last one.
    pub(super) fn of(
        augmented: &Augmented,
        executed: &[u64],
        last: usize,
        rounds: &[StealRound],
    ) -> Self {
        let mut path = vec![last];
        let mut at = last;
        while let Some(&before) = augmented
            .predecessors(at)
            .iter()
            .max_by_key(|&&before| executed[before])
        {
            path.push(before);
            at = before;
        }
        path.reverse();
        let (mut groups, mut between) = (vec![0; path.len()], vec![0; path.len()]);
        // The first instruction of U that is not executed before a round is the critical one.
        let mut place = 0;
        for round in rounds {
            while executed[path[place]] < round.first {
                place += 1;
            }
            if executed[path[place]] > round.last {
                groups[place] += 1;
            } else {
                between[place] += 1;
            }
        }
        Self {
            path,
            rounds: rounds.len() as u64,
            groups,
            between,
        }
    }

    /// Σ π: the rounds in groups.
    pub fn in_groups(&self) -> u64 {
        self.groups.iter().sum()
    }

    /// L: the length of U.
    pub fn length(&self) -> u64 {
        self.path.len() as u64
    }

    /// What is wrong with it, if anything: by Definition 8, and because each u of U must have been
    /// critical (`since` so) from the moment when all of U before it was executed.
    pub(super) fn flaw(
        &self,
        augmented: &Augmented,
        executed: &[u64],
        since: &[Option<u64>],
    ) -> Option<&'static str> {
        let is_edge = |pair: &[usize]| augmented.successors(pair[0]).contains(&pair[1]);
        let [first, last] = [self.path[0], self.path[self.path.len() - 1]];
        let is_maximal =
            augmented.predecessors(first).is_empty() && augmented.successors(last).is_empty();
        if !is_maximal || !self.path.windows(2).all(is_edge) {
            return Some("U is not a maximal path of the augmented dag");
        }
        if self.path.iter().any(|&at| executed[at] == 0) {
            return Some("an instruction of U was never executed");
        }
        if self.between.iter().any(|&rounds| rounds > 1) {
            return Some("a π′ is neither 0 nor 1");
        }
        let divided = self.in_groups() + self.between.iter().sum::<u64>();
        if divided != self.rounds {
            return Some("Π does not add up to the rounds");
        }
        if self.in_groups() + self.length() < self.rounds {
            return Some("inequality 5 does not hold");
        }
        let mut before = 0;
        for &at in &self.path {
            if executed[at] > before {
                if since[at].is_none_or(|step| step > before + 1) {
                    return Some("an instruction of U was not critical when its turn came");
                }
                before = executed[at];
            }
        }
        None
    }
}
