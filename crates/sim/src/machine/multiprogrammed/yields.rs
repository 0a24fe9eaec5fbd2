//! What a thief asks of the kernel after a failed attempt.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The system call of a thief between two attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// `none`: it stays where it is.
    None,
    /// `random`: it may not run before a random other process has run (ABP01's yieldToRandom).
    Random,
    /// `all`: it may not run before every other process has run (ABP01's yieldToAll).
    All,
}

impl Yield {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Random, Self::All];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Random => "random",
            Self::All => "all",
        }
    }
}

impl fmt::Display for Yield {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Yield {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| {
            let name = name.escape_debug();
            format!("unknown yield '{name}': use none, random or all")
        })
    }
}

/// Which processes have yielded, and to which.
#[derive(Clone, Debug)]
pub(super) struct Yielded {
    /// The step in which each process ran last; 0 if it did not.
    ran: Vec<u64>,
    /// The same with the number of the process: the one that has not run for longest is first.
    by_last_run: BTreeSet<(u64, usize)>,
    /// The step in which it yielded last, and to which process; to all without one.
    waits: Vec<Option<(u64, Option<usize>)>>,
}

impl Yielded {
    pub(super) fn of(processes: usize) -> Self {
        Self {
            ran: vec![0; processes],
            by_last_run: (0..processes).map(|process| (0, process)).collect(),
            waits: vec![None; processes],
        }
    }

    /// `process` runs in `step`: what it waited for has happened.
    pub(super) fn runs(&mut self, process: usize, step: u64) {
        let before = std::mem::replace(&mut self.ran[process], step);
        self.by_last_run.remove(&(before, process));
        self.by_last_run.insert((step, process));
        self.waits[process] = None;
    }

    /// `process` yields in `step`, to one process or to all.
    pub(super) fn yields(&mut self, process: usize, step: u64, to: Option<usize>) {
        self.waits[process] = Some((step, to));
    }

    /// A process that has to run before `process` may; `None` if it may. Of several it is the one
    /// that has not run for longest, and of those the first. A process that ran in the step of the
    /// yield need not run again: otherwise two that yield to one another in one step would both
    /// wait for ever.
    pub(super) fn awaited(&self, process: usize) -> Option<usize> {
        let (since, to) = self.waits[process]?;
        match to {
            Some(other) => (self.ran[other] < since).then_some(other),
            None => {
                let mut others = self.by_last_run.iter().filter(|(_, one)| *one != process);
                let &(ran, oldest) = others.next()?;
                (ran < since).then_some(oldest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_one_and_to_all() {
        let mut yielded = Yielded::of(3);
        yielded.runs(0, 1);
        yielded.runs(1, 1);
        yielded.yields(0, 1, Some(1));
        assert_eq!(yielded.awaited(0), None, "it ran in the same step");
        yielded.yields(0, 1, Some(2));
        assert_eq!(yielded.awaited(0), Some(2));
        yielded.runs(2, 2);
        assert_eq!(yielded.awaited(0), None);
        yielded.runs(0, 3);
        yielded.yields(0, 3, None);
        assert_eq!(yielded.awaited(0), Some(1), "it has not run for longest");
        yielded.runs(1, 4);
        assert_eq!(yielded.awaited(0), Some(2));
        yielded.runs(2, 5);
        assert_eq!(yielded.awaited(0), None);
    }
}
