//! What lies under a site, where the site occurs within itself.

use filch_profile::{Dag, Duration, SiteId, Step, TaskId};

use super::sizes::{Size, Sizes};

/// The outermost occurrences of one site, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outermost {
    pub(super) count: u64,
    pub(super) work: Duration,
    /// The sum of their spans: as long as they take one after the other, each as parallel as it
    /// can be.
    pub(super) span: Duration,
    pub(super) burdened_span: Duration,
    /// The joins and spawns in them.
    pub(super) forks: u64,
}

impl Outermost {
    /// `count` more occurrences of this size.
    pub(super) fn add(&mut self, size: &Size, count: u64) {
        self.count += count;
        self.work += times(size.work, count);
        self.span += times(size.span, count);
        self.burdened_span += times(size.burdened_span, count);
        self.forks = self.forks.saturating_add(size.forks.saturating_mul(count));
    }
}

/// The steps of a dag that fork or open a scope, from the roots down.
pub(super) struct ForkSteps<'a> {
    dag: &'a Dag,
    sizes: &'a Sizes,
    burden: Duration,
    /// The tasks that have such steps, those that refer to others first.
    tasks: Vec<TaskId>,
}

impl<'a> ForkSteps<'a> {
    pub(super) fn of(dag: &'a Dag, sizes: &'a Sizes, burden: Duration) -> Self {
        let forking = dag.iter().filter(|(_, task, _)| {
            let mut steps = task.steps.iter();
            steps.any(|step| site(step).is_some())
        });
        let mut tasks: Vec<_> = forking.map(|(id, ..)| id).collect();
        tasks.reverse();
        Self {
            dag,
            sizes,
            burden,
            tasks,
        }
    }

    /// The occurrences of `wanted` that are not within another one. In a recursion that is its
    /// first call, so that no work counts twice.
    pub(super) fn outermost(&self, wanted: SiteId, roots: &[TaskId]) -> Outermost {
        // How often a task occurs outside of every occurrence of the site.
        let mut outside = vec![0u64; self.dag.len()];
        for root in roots {
            outside[root.0 as usize] += 1;
        }
        let mut sum = Outermost::default();
        for &task in &self.tasks {
            let count = outside[task.0 as usize];
            if count == 0 {
                continue;
            }
            for step in &self.dag[task].steps {
                match site(step) {
                    Some(site) if site == wanted => {
                        sum.add(&self.sizes.forked(*step, self.burden), count);
                    }
                    Some(_) => {
                        for child in step.children() {
                            outside[child.0 as usize] += count;
                        }
                    }
                    None => {}
                }
            }
        }
        sum
    }
}

/// The place of a step that forks or opens a scope.
pub(super) fn site(step: &Step) -> Option<SiteId> {
    match *step {
        Step::Work(_) => None,
        Step::Join { site, .. } | Step::Scope { site, .. } | Step::Spawn { site, .. } => Some(site),
    }
}

/// So many times as long.
pub(super) fn times(one: Duration, count: u64) -> Duration {
    Duration::from_picos(one.picos().saturating_mul(count))
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_dag;
    use super::*;

    /// The outermost occurrences, found by walking the whole tree.
    fn walk(dag: &Dag, sizes: &Sizes, at: TaskId, wanted: SiteId, sum: &mut Outermost) {
        for step in &dag[at].steps {
            if site(step) == Some(wanted) {
                let forked = step.children().map(|child| sizes.get(child));
                let forked: Vec<Size> = forked.collect();
                sum.count += 1;
                sum.work += forked.iter().map(|size| size.work).sum();
                sum.forks += u64::from(!matches!(step, Step::Scope { .. }));
                sum.forks += forked.iter().map(|size| size.forks).sum::<u64>();
                sum.span += forked
                    .iter()
                    .map(|size| size.span)
                    .max()
                    .unwrap_or_default();
            } else {
                for child in step.children() {
                    walk(dag, sizes, child, wanted, sum);
                }
            }
        }
    }

    #[test]
    fn a_site_within_itself_counts_once() {
        for seed in 0..200 {
            let (dag, root) = random_dag(seed);
            let burden = Duration::ZERO;
            let sizes = Sizes::of(&dag, burden);
            let steps = ForkSteps::of(&dag, &sizes, burden);
            for wanted in (0..4).map(SiteId) {
                let mut plain = Outermost::default();
                walk(&dag, &sizes, root, wanted, &mut plain);
                let found = steps.outermost(wanted, &[root]);
                plain.burdened_span = plain.span;
                assert_eq!(found, plain, "seed {seed}, {wanted:?}");
            }
        }
    }
}
