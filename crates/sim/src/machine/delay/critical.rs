//! Which instructions are critical.

use super::augmented::Augmented;

/// The instructions of G′ while they are executed.
///
/// An instruction is *settled* if it and everything before it in G′ has been executed. It is
/// *critical* if it has not been executed and everything before it is settled.
#[derive(Clone, Debug)]
pub(super) struct Critical {
    executed: Vec<bool>,
    /// How many direct predecessors are not settled.
    waits_for: Vec<usize>,
    /// The step at whose beginning it was critical for the first time.
    pub(super) since: Vec<Option<u64>>,
    /// How many are critical now.
    pub(super) count: usize,
}

impl Critical {
    pub(super) fn of(augmented: &Augmented) -> Self {
        let count = augmented.instructions();
        let waits_for = (0..count).map(|at| augmented.predecessors(at).len());
        let mut critical = Self {
            executed: vec![false; count],
            waits_for: waits_for.collect(),
            since: vec![None; count],
            count: 0,
        };
        for at in 0..count {
            critical.arise(at, 1);
        }
        critical
    }

    pub(super) fn is_critical(&self, instruction: usize) -> bool {
        !self.executed[instruction] && self.waits_for[instruction] == 0
    }

    pub(super) fn was_executed(&self, instruction: usize) -> bool {
        self.executed[instruction]
    }

    /// An instruction is executed in `step`.
    pub(super) fn execute(&mut self, instruction: usize, step: u64, augmented: &Augmented) {
        self.count -= usize::from(self.is_critical(instruction));
        self.executed[instruction] = true;
        if self.waits_for[instruction] > 0 {
            return;
        }
        let mut settled = vec![instruction];
        while let Some(at) = settled.pop() {
            for &next in augmented.successors(at) {
                self.waits_for[next] -= 1;
                if self.waits_for[next] == 0 && self.executed[next] {
                    settled.push(next);
                }
                self.arise(next, step + 1);
            }
        }
    }

    fn arise(&mut self, instruction: usize, step: u64) {
        if self.is_critical(instruction) {
            self.since[instruction] = Some(step);
            self.count += 1;
        }
    }
}
