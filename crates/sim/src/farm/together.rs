use super::line::Line;
use super::outcome::Outcome;
use super::run::Run;

/// Runs that have been one and the same so far, which one line goes through for all of them.
///
/// Policies that differ only in what they do when nobody is idle, as PI and JIQ, do the same until a batch arrives when
/// nobody is: they draw the same random numbers for the same choices. Under a moderate load that never happens.
#[derive(Clone, Debug)]
pub(super) struct Together<'a> {
    /// The number of the line's run.
    pub(super) number: usize,
    line: Line<'a>,
    /// The others, with their numbers; their lines are as new.
    others: Vec<(usize, Line<'a>)>,
}

impl<'a> Together<'a> {
    /// Puts together, of lines as new, what begins as the same run.
    pub(super) fn all(lines: Vec<Line<'a>>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (number, mut line) in lines.into_iter().enumerate() {
            let find = |group: &&mut Self| {
                begins_as(line.run(), group.line.run()) || begins_as(group.line.run(), line.run())
            };
            match all.iter_mut().find(find) {
                Some(group) if begins_as(line.run(), group.line.run()) => {
                    group.others.push((number, line));
                }
                // The first line remembers nothing, so it can go along as the others do.
                Some(group) => {
                    std::mem::swap(&mut line, &mut group.line);
                    group.others.push((group.number, line));
                    group.number = number;
                }
                None => all.push(Self::alone(number, line)),
            }
        }
        all
    }

    fn alone(number: usize, line: Line<'a>) -> Self {
        Self {
            number,
            line,
            others: Vec::new(),
        }
    }

    /// Goes through the next slots as [`Line::slots`]. Returns the runs that are different now.
    pub(super) fn slots<'c>(
        &mut self,
        batches: &[u32],
        capacities: impl Fn(usize) -> &'c [u32],
    ) -> Vec<Self> {
        let mut done = 0;
        if !self.others.is_empty() {
            done = self.line.slots_while_idle(batches, &capacities);
            if done == batches.len() {
                return Vec::new();
            }
        }
        let rest = |line: &mut Line<'a>| line.slots(&batches[done..], |at| capacities(done + at));
        let part = |(number, mut line): (usize, Line<'a>)| {
            line.begin_as(&self.line);
            rest(&mut line);
            Self::alone(number, line)
        };
        let parted = self.others.drain(..).map(part).collect();
        rest(&mut self.line);
        parted
    }

    /// What happened, run by run, each with its number.
    pub(super) fn finish(self) -> Vec<(usize, Outcome)> {
        let finish = |(number, mut line): (usize, Line<'a>)| {
            line.begin_as(&self.line);
            (number, line.finish())
        };
        let mut outcomes: Vec<_> = self.others.into_iter().map(finish).collect();
        outcomes.push((self.number, self.line.finish()));
        outcomes
    }
}

/// Whether `run` is the same as `other` at first and can take over from it, whenever they part.
fn begins_as(run: &Run, other: &Run) -> bool {
    let alike = Run {
        policy: run.policy,
        ..other.clone()
    };
    run.policy.begins_as(&other.policy) && *run == alike
}
