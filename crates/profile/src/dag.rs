use core::ops::Index;

use crate::{Duration, Measures, SiteId};

/// The number of a [`Task`] in a [`Dag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// What one closure does, from its first instruction to its last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Task {
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// A part of a [`Task`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Runs serial code for so long.
    Work(Duration),
    /// Runs two closures that may run in parallel, and waits for both. Serially the first runs
    /// first.
    Join {
        /// The place that forks.
        site: SiteId,
        /// The closure that the worker begins with.
        first: TaskId,
        /// The closure that a thief may take.
        second: TaskId,
    },
    /// Opens a scope, runs `body`, and waits for all children that were spawned into the scope.
    Scope {
        /// The place that opens it.
        site: SiteId,
        /// What runs in the scope.
        body: TaskId,
    },
    /// Starts a child that runs in parallel with what follows, until the innermost scope ends that
    /// is open around this step: in this task, or in those within which it runs.
    ///
    /// A child that a program spawns into a scope further out is recorded so too, and then counts
    /// for the inner scope.
    Spawn {
        /// The place that spawns.
        site: SiteId,
        /// The child.
        child: TaskId,
    },
}

impl Step {
    /// The tasks that it refers to.
    pub fn children(&self) -> impl Iterator<Item = TaskId> + use<> {
        let (one, other) = match *self {
            Self::Work(_) => (None, None),
            Self::Join { first, second, .. } => (Some(first), Some(second)),
            Self::Scope { body, .. } => (Some(body), None),
            Self::Spawn { child, .. } => (Some(child), None),
        };
        one.into_iter().chain(other)
    }
}

impl Task {
    /// A task of these steps.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

/// Tasks, each after those that it refers to. Tasks that are alike are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dag {
    tasks: Vec<Task>,
    measures: Vec<Measures>,
}

impl Dag {
    /// Adds a task, with the measures that follow from its steps.
    ///
    /// # Panics
    ///
    /// If it refers to a task that is not there, or if there are 2³² tasks.
    pub fn add(&mut self, task: Task) -> TaskId {
        let measures = self.measure(&task);
        self.add_measured(task, measures)
    }

    /// Adds a task with the measures that were taken of it.
    ///
    /// # Panics
    ///
    /// As [`add`](Self::add).
    pub fn add_measured(&mut self, task: Task, measures: Measures) -> TaskId {
        let number = u32::try_from(self.tasks.len()).expect("fewer than 2^32 tasks");
        for step in &task.steps {
            assert!(
                step.children().all(|child| child.0 < number),
                "{step:?} refers to no task"
            );
        }
        self.tasks.push(task);
        self.measures.push(measures);
        TaskId(number)
    }

    /// What a task of these steps measures. Its steps refer to tasks that are there.
    fn measure(&self, task: &Task) -> Measures {
        let mut sum = Measures::default();
        for step in &task.steps {
            let mut path = Duration::ZERO;
            let mut span = Duration::ZERO;
            for child in step.children() {
                let child = self.measures(child);
                sum.work += child.work;
                sum.forks += child.forks;
                path = path.max(child.path);
                span = span.max(child.span);
            }
            // How far the task itself gets, and how long the children take that it leaves behind.
            let (goes_on, leaves) = match *step {
                Step::Work(time) => {
                    sum.work += time;
                    (time, Duration::ZERO)
                }
                Step::Join { .. } => (path, span),
                Step::Scope { .. } => (span, Duration::ZERO),
                Step::Spawn { .. } => (Duration::ZERO, span),
            };
            sum.forks += u64::from(matches!(step, Step::Join { .. } | Step::Spawn { .. }));
            sum.span = sum.span.max(sum.path + leaves);
            sum.path += goes_on;
        }
        sum.span = sum.span.max(sum.path);
        sum
    }

    /// How many different tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// What a task measures, with all that it forks.
    pub fn measures(&self, task: TaskId) -> Measures {
        self.measures[task.0 as usize]
    }

    /// All tasks, each after those that it refers to.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TaskId, &Task, Measures)> {
        let tasks = self.tasks.iter().zip(&self.measures);
        // No overflow: `add_measured` counted them.
        tasks
            .enumerate()
            .map(|(number, (task, measures))| (TaskId(number as u32), task, *measures))
    }
}

impl Index<TaskId> for Dag {
    type Output = Task;

    fn index(&self, task: TaskId) -> &Task {
        &self.tasks[task.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(nanos: u64) -> Step {
        Step::Work(Duration::from_nanos(nanos))
    }

    /// Work, span and path in nanoseconds, and forks.
    fn measured(dag: &Dag, task: TaskId) -> (u64, u64, u64, u64) {
        let Measures {
            work,
            span,
            path,
            forks,
        } = dag.measures(task);
        (
            work.picos() / 1000,
            span.picos() / 1000,
            path.picos() / 1000,
            forks,
        )
    }

    #[test]
    fn a_join_takes_the_longer_of_its_closures() {
        let mut dag = Dag::default();
        let site = SiteId(0);
        let short = dag.add(Task::new(vec![work(3)]));
        let long = dag.add(Task::new(vec![work(5)]));
        let inner = dag.add(Task::new(vec![
            Step::Join {
                site,
                first: short,
                second: long,
            },
            work(1),
        ]));
        let outer = dag.add(Task::new(vec![
            work(10),
            Step::Join {
                site,
                first: inner,
                second: short,
            },
            work(20),
        ]));
        assert_eq!(measured(&dag, inner), (9, 6, 6, 1));
        assert_eq!(measured(&dag, outer), (42, 36, 36, 2));
    }

    #[test]
    fn a_scope_waits_for_children_that_joins_within_it_leave_behind() {
        let mut dag = Dag::default();
        let site = SiteId(0);
        let child = dag.add(Task::new(vec![work(100)]));
        let spawning = dag.add(Task::new(vec![
            work(1),
            Step::Spawn { site, child },
            work(2),
        ]));
        let idle = dag.add(Task::new(vec![work(4)]));
        let body = dag.add(Task::new(vec![
            Step::Join {
                site,
                first: spawning,
                second: idle,
            },
            work(7),
        ]));
        let scope = dag.add(Task::new(vec![Step::Scope { site, body }, work(1000)]));
        assert_eq!(measured(&dag, spawning), (103, 101, 3, 1));
        assert_eq!(measured(&dag, body), (114, 101, 11, 2));
        assert_eq!(measured(&dag, scope), (1114, 1101, 1101, 2));
    }
}
