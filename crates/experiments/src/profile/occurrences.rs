//! How often each task occurs.

use filch_profile::{Dag, TaskId};

/// How often each task of `dag` is run if each of `roots` is run once.
pub(super) fn occurrences(dag: &Dag, roots: impl IntoIterator<Item = TaskId>) -> Vec<u64> {
    let mut counts = vec![0u64; dag.len()];
    for root in roots {
        counts[root.0 as usize] += 1;
    }
    // A task comes after those that it refers to, so all that run it have been counted before it.
    for task in (0..dag.len()).rev() {
        let count = counts[task];
        if count > 0 {
            for child in dag[TaskId(task as u32)]
                .steps
                .iter()
                .flat_map(filch_profile::Step::children)
            {
                let child = &mut counts[child.0 as usize];
                *child = child.saturating_add(count);
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_dag;
    use super::*;

    fn count(dag: &Dag, at: TaskId, counts: &mut [u64]) {
        counts[at.0 as usize] += 1;
        for step in &dag[at].steps {
            for child in step.children() {
                count(dag, child, counts);
            }
        }
    }

    #[test]
    fn occurrences_are_those_of_the_tree() {
        for seed in 0..200 {
            let (dag, root) = random_dag(seed);
            let mut plain = vec![0; dag.len()];
            count(&dag, root, &mut plain);
            count(&dag, root, &mut plain);
            assert_eq!(occurrences(&dag, [root, root]), plain, "seed {seed}");
        }
    }
}
