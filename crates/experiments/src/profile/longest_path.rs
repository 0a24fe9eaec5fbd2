//! The longest path through one task: how long the task itself is on it, and through which of its
//! children it goes on.

use filch_profile::{Dag, Duration, SiteId, Step, TaskId};

use super::sizes::{Size, Sizes};

/// To which end of a task the path goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Its,
    TheLast,
}

/// The longest paths through the tasks of a dag.
pub(super) struct LongestPath<'a> {
    pub(super) dag: &'a Dag,
    pub(super) sizes: &'a Sizes,
}

impl<'a> LongestPath<'a> {
    /// The time of the task's own strands on the path.
    pub(super) fn own(&self, task: TaskId, end: End) -> Duration {
        let Some(left) = self.leaves_at(task, end) else {
            return self.sizes.get(task).own;
        };
        let before = self.dag[task].steps[..left].iter();
        let own = before.map(|step| match step {
            Step::Work(time) => *time,
            _ => Duration::ZERO,
        });
        own.sum()
    }

    /// The children that the path goes through, each with the site that forks it and the end that
    /// the path goes to.
    pub(super) fn passed(
        &self,
        task: TaskId,
        end: End,
    ) -> impl Iterator<Item = (SiteId, TaskId, End)> + use<'a> {
        let Self { dag, sizes } = *self;
        let steps = &dag[task].steps;
        let left = self.leaves_at(task, end);
        let before = &steps[..left.unwrap_or(steps.len())];
        let awaited = before.iter().filter_map(move |step| match *step {
            Step::Work(_) | Step::Spawn { .. } => None,
            Step::Join {
                site,
                first,
                second,
            } => {
                let child = longer(sizes, first, second, |size| size.path);
                Some((site, child, End::Its))
            }
            Step::Scope { site, body } => Some((site, body, End::TheLast)),
        });
        let left_behind = left.and_then(|left| match steps[left] {
            Step::Join {
                site,
                first,
                second,
            } => {
                let child = longer(sizes, first, second, |size| size.span);
                Some((site, child, End::TheLast))
            }
            Step::Spawn { site, child } => Some((site, child, End::TheLast)),
            Step::Work(_) | Step::Scope { .. } => None,
        });
        awaited.chain(left_behind)
    }

    /// The step from which the path goes on to a child that the task leaves behind; none if it
    /// runs to the last instruction of the task.
    fn leaves_at(&self, task: TaskId, end: End) -> Option<usize> {
        let size = self.sizes.get(task);
        if end == End::Its || size.span == size.path {
            return None;
        }
        let mut path = Duration::ZERO;
        for (at, &step) in self.dag[task].steps.iter().enumerate() {
            let (goes_on, left) = self.lengths(step);
            if path + left == size.span {
                return Some(at);
            }
            path += goes_on;
        }
        None
    }

    /// How far a step takes the task, and how long the children take that it leaves behind.
    fn lengths(&self, step: Step) -> (Duration, Duration) {
        let size = |task| self.sizes.get(task);
        match step {
            Step::Work(time) => (time, Duration::ZERO),
            Step::Join { first, second, .. } => {
                let [a, b] = [size(first), size(second)];
                (a.path.max(b.path), a.span.max(b.span))
            }
            Step::Scope { body, .. } => (size(body).span, Duration::ZERO),
            Step::Spawn { child, .. } => (Duration::ZERO, size(child).span),
        }
    }
}

/// The longer of two closures; the first if they are equal.
fn longer(
    sizes: &Sizes,
    first: TaskId,
    second: TaskId,
    length: impl Fn(Size) -> Duration,
) -> TaskId {
    if length(sizes.get(second)) > length(sizes.get(first)) {
        second
    } else {
        first
    }
}
