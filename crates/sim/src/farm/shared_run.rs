use filch_policy::dispatch::Start;
use filch_workload::ArrivalLaw;

use super::line::Line;
use super::outcome::FarmOutcome;

/// Runs that have been the same so far, simulated once for all of them by one line.
///
/// Policies that differ only in what they do while no server is idle, as PI and JIQ, draw the same
/// random numbers for the same choices until a batch arrives while no server is idle. Under a
/// moderate load that does not happen.
pub(super) struct SharedRun<'a, P: Start, A> {
    /// The number of the line's run.
    pub(super) number: usize,
    line: Line<'a, P, A>,
    /// The other runs with their numbers. Their lines have not begun.
    others: Vec<(usize, Line<'a, P, A>)>,
}

impl<'a, P: Start, A: ArrivalLaw> SharedRun<'a, P, A> {
    /// Groups lines, none of which has begun, by the run that they begin as.
    pub(super) fn all(lines: Vec<Line<'a, P, A>>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (number, mut line) in lines.into_iter().enumerate() {
            let find = |group: &&mut Self| {
                let (run, other) = (line.run(), group.line.run());
                run.begins_as(other) || other.begins_as(run)
            };
            match all.iter_mut().find(find) {
                Some(group) if line.run().begins_as(group.line.run()) => {
                    group.others.push((number, line));
                }
                // Only the group's line can take over from this one, not the other way round.
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

    fn alone(number: usize, line: Line<'a, P, A>) -> Self {
        Self {
            number,
            line,
            others: Vec::new(),
        }
    }

    /// Simulates the next slots as [`Line::slots`] does. Returns the runs that have parted.
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
        let rest =
            |line: &mut Line<'a, P, A>| line.slots(&batches[done..], |at| capacities(done + at));
        let part = |(number, mut line): (usize, Line<'a, P, A>)| {
            line.begin_as(&self.line);
            rest(&mut line);
            Self::alone(number, line)
        };
        let parted = self.others.drain(..).map(part).collect();
        rest(&mut self.line);
        parted
    }

    /// The outcomes, each with the number of its run.
    pub(super) fn finish(self) -> Vec<(usize, FarmOutcome<P>)> {
        let finish = |(number, mut line): (usize, Line<'a, P, A>)| {
            line.begin_as(&self.line);
            (number, line.finish())
        };
        let mut outcomes: Vec<_> = self.others.into_iter().map(finish).collect();
        outcomes.push((self.number, self.line.finish()));
        outcomes
    }
}
