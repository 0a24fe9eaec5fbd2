//! How large each task is, with all that it forks.

use filch_profile::{Dag, Duration, Step, TaskId};

/// What a task takes, with all that it forks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// T1: the time of all strands together.
    pub work: Duration,
    /// Tinf: the time of the longest path, to the end of the last child.
    pub span: Duration,
    /// The time of the longest path to the last instruction of the task itself.
    pub path: Duration,
    /// The span of the burdened dag, in which each fork on a path also takes the burden.
    pub burdened_span: Duration,
    /// The same of `path`.
    pub burdened_path: Duration,
    /// The joins and spawns.
    pub forks: u64,
    /// The time of its own strands, without what it forks.
    pub own: Duration,
}

/// The sizes of all tasks of a dag.
///
/// Times follow from the steps of the dag alone. The measures that a profile states beside them are
/// exact where the dag is not, since tasks that differ little are stored as one. Forks are those of
/// the measures: very fine ones are counted, and are no steps.
#[derive(Clone, Debug)]
pub struct Sizes(Vec<Size>);

impl Sizes {
    /// The sizes of the tasks of `dag`, where each fork on a path is burdened with `burden`: He,
    /// Leiserson & Leiserson, *The Cilkview scalability analyzer* (2010), section 3. Both what is
    /// forked and what follows the fork bear it, since either may be what a thief has moved.
    pub fn of(dag: &Dag, burden: Duration) -> Self {
        let mut sizes = Self(Vec::with_capacity(dag.len()));
        for (_, task, measures) in dag.iter() {
            let mut size = Size::default();
            for &step in &task.steps {
                size.add(step, &sizes, burden);
            }
            size.forks = measures.forks;
            size.span = size.span.max(size.path);
            size.burdened_span = size.burdened_span.max(size.burdened_path);
            sizes.0.push(size);
        }
        sizes
    }

    /// The size of one task.
    pub fn get(&self, task: TaskId) -> Size {
        self.0[task.0 as usize]
    }

    /// The size of what a step forks, by itself: the closures of a join run beside one another, a
    /// scope's body with its children.
    pub(super) fn forked(&self, step: Step, burden: Duration) -> Size {
        let mut size = Size::default();
        size.add(step, self, burden);
        size.span = size.span.max(size.path);
        size.burdened_span = size.burdened_span.max(size.burdened_path);
        size
    }
}

impl Size {
    /// One more step at the end. `span` then holds the children that were left behind alone.
    fn add(&mut self, step: Step, sizes: &Sizes, burden: Duration) {
        for child in step.children() {
            let child = sizes.get(child);
            self.work += child.work;
            self.forks += child.forks;
        }
        match step {
            Step::Work(time) => {
                self.work += time;
                self.own += time;
                self.path += time;
                self.burdened_path += time;
            }
            Step::Join { first, second, .. } => {
                let [a, b] = [first, second].map(|closure| sizes.get(closure));
                self.forks += 1;
                self.span = self.span.max(self.path + a.span.max(b.span));
                self.path += a.path.max(b.path);
                self.burdened_path += burden;
                let left = self.burdened_path + a.burdened_span.max(b.burdened_span);
                self.burdened_span = self.burdened_span.max(left);
                self.burdened_path += a.burdened_path.max(b.burdened_path);
            }
            Step::Scope { body, .. } => {
                let body = sizes.get(body);
                self.path += body.span;
                self.burdened_path += body.burdened_span;
            }
            Step::Spawn { child, .. } => {
                let child = sizes.get(child);
                self.forks += 1;
                self.span = self.span.max(self.path + child.span);
                self.burdened_path += burden;
                let left = self.burdened_path + child.burdened_span;
                self.burdened_span = self.burdened_span.max(left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_dag, unrolled};
    use super::*;

    /// Against the dag's own rule, and against the burdened dag written out.
    #[test]
    fn sizes_follow_from_the_steps() {
        for seed in 0..300 {
            let (dag, root) = random_dag(seed);
            for burden in [0, 7] {
                let burden = Duration::from_picos(burden);
                let sizes = Sizes::of(&dag, burden);
                for (id, _, measures) in dag.iter() {
                    let size = sizes.get(id);
                    assert_eq!(
                        (size.work, size.span, size.path, size.forks),
                        (measures.work, measures.span, measures.path, measures.forks)
                    );
                }
                let plain = unrolled(&dag, root, burden);
                let size = sizes.get(root);
                assert_eq!(size.burdened_span, plain.span, "seed {seed}");
                assert_eq!(size.burdened_path, plain.path, "seed {seed}");
                assert_eq!(size.work, plain.work, "seed {seed}");
            }
        }
    }
}
