//! Rounds of steal attempts.

/// A round: at least 3·P and fewer than 4·P attempts, all those of consecutive steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StealRound {
    /// Its first step.
    pub first: u64,
    /// Its last step.
    pub last: u64,
    /// The attempts that were begun in it.
    pub attempts: u64,
}

/// Divides the steps of a run into rounds. Attempts after the last whole round are in none.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    processors: u64,
    in_step: u64,
    in_round: u64,
    first: u64,
    /// The rounds that are over.
    pub(super) over: Vec<StealRound>,
    /// The most attempts in one step.
    pub(super) most_in_step: u64,
}

impl Rounds {
    pub(super) fn of(processors: usize) -> Self {
        Self {
            processors: processors as u64,
            in_step: 0,
            in_round: 0,
            first: 1,
            over: Vec::new(),
            most_in_step: 0,
        }
    }

    /// What is wrong with the rounds, if anything. At most P − 1 attempts begin in a step, because
    /// a processor works; so a round has fewer than 4·P attempts and at least 4 steps.
    pub(super) fn flaw(&self) -> Option<String> {
        if self.processors == 1 {
            return None;
        }
        if self.most_in_step >= self.processors {
            return Some(format!("{} attempts began in one step", self.most_in_step));
        }
        let is_wrong = |round: &&StealRound| {
            round.attempts >= 4 * self.processors || round.last < round.first + 3
        };
        let wrong = self.over.iter().find(is_wrong)?;
        Some(format!(
            "the round of steps {} to {} has {} attempts",
            wrong.first, wrong.last, wrong.attempts
        ))
    }

    pub(super) fn ask(&mut self) {
        self.in_step += 1;
    }

    /// `step` is over. Returns whether a round is.
    pub(super) fn close(&mut self, step: u64) -> bool {
        self.most_in_step = self.most_in_step.max(self.in_step);
        self.in_round += std::mem::take(&mut self.in_step);
        let is_over = self.in_round >= 3 * self.processors;
        if is_over {
            self.over.push(StealRound {
                first: self.first,
                last: step,
                attempts: std::mem::take(&mut self.in_round),
            });
            self.first = step + 1;
        }
        is_over
    }
}
