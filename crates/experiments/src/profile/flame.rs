//! A flame graph of the computation: what is forked lies under the site that forks it, whichever
//! worker has run it.

use filch_profile::{Dag, Duration, Profile, SiteId, Step, TaskId};

use super::longest_path::{End, LongestPath};
use super::outermost::{site, times};
use super::sizes::Sizes;

/// How many chains of sites a graph has at most. What would be more counts for the chain above.
const MOST: usize = 4096;

/// Times by chains of sites: by the work, and by the time on the critical path.
///
/// A site that occurs within itself, as in a recursion, is one link of its chain: its time counts
/// where the chain first reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flame {
    /// The chains, each after the one that it goes on from.
    pub nodes: Vec<FlameNode>,
}

/// A chain of sites, by its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlameNode {
    /// The last site of the chain.
    pub site: SiteId,
    /// The chain without it; none where a section begins.
    pub above: Option<usize>,
    /// The time of the closures of the site themselves, without what these fork.
    pub own_work: Duration,
    /// The same with all chains that go on from this one.
    pub work: Duration,
    /// The part of `own_work` on the critical path.
    pub own_span: Duration,
    /// The part of `work` on the critical path.
    pub span: Duration,
}

impl Flame {
    /// The chains of all sections of a profile.
    pub fn of(profile: &Profile) -> Self {
        let sections = profile.sections.iter();
        Self::of_sections(
            &profile.dag,
            sections.map(|section| (section.site, section.root)),
        )
    }

    /// The chains of sections, each given by its site and its root.
    fn of_sections(dag: &Dag, sections: impl Iterator<Item = (SiteId, TaskId)>) -> Self {
        let sizes = Sizes::of(dag, Duration::ZERO);
        let mut tree = Tree::default();
        let mut all = Visits::to(dag);
        let mut path = Visits::to(dag);
        for (site, root) in sections {
            let node = tree.below(None, site);
            all.add(root, node, 1);
            path.add(root, (node, End::TheLast), 1);
        }
        let longest = LongestPath { dag, sizes: &sizes };
        // A task comes after those that it refers to, so all visits to it are known when it comes.
        for task in (0..dag.len()).rev().map(|task| TaskId(task as u32)) {
            for (node, count) in all.take(task) {
                tree.nodes[node].own_work += times(sizes.get(task).own, count);
                for step in &dag[task].steps {
                    let Some(site) = site(step) else { continue };
                    let below = tree.below(Some(node), site);
                    for child in Step::children(step) {
                        all.add(child, below, count);
                    }
                }
            }
            for ((node, end), count) in path.take(task) {
                tree.nodes[node].own_span += times(longest.own(task, end), count);
                for (site, child, end) in longest.passed(task, end) {
                    let below = tree.below(Some(node), site);
                    path.add(child, (below, end), count);
                }
            }
        }
        tree.summed()
    }

    /// The chains that go on from one by one more site, or those of sections.
    pub fn below(&self, above: Option<usize>) -> impl Iterator<Item = usize> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(move |(_, node)| node.above == above)
            .map(|(number, _)| number)
    }
}

/// How often each task is visited, by what it is visited under.
struct Visits<K>(Vec<Vec<(K, u64)>>);

impl<K: PartialEq> Visits<K> {
    fn to(dag: &Dag) -> Self {
        Self((0..dag.len()).map(|_| Vec::new()).collect())
    }

    fn add(&mut self, task: TaskId, under: K, count: u64) {
        let visits = &mut self.0[task.0 as usize];
        match visits.iter_mut().find(|(known, _)| *known == under) {
            Some((_, known)) => *known = known.saturating_add(count),
            None => visits.push((under, count)),
        }
    }

    fn take(&mut self, task: TaskId) -> Vec<(K, u64)> {
        core::mem::take(&mut self.0[task.0 as usize])
    }
}

#[derive(Default)]
struct Tree {
    nodes: Vec<FlameNode>,
    /// The chains that go on from each by one more site.
    below: Vec<Vec<usize>>,
    first: Vec<usize>,
}

impl Tree {
    /// The chain that goes on from `above` by `site`.
    fn below(&mut self, above: Option<usize>, site: SiteId) -> usize {
        let mut link = above;
        while let Some(number) = link {
            if self.nodes[number].site == site {
                return number;
            }
            link = self.nodes[number].above;
        }
        let siblings = above.map_or(&self.first, |above| &self.below[above]);
        let known = siblings
            .iter()
            .find(|&&number| self.nodes[number].site == site);
        match (known, above) {
            (Some(&known), _) => known,
            (None, Some(above)) if self.nodes.len() >= MOST => above,
            (None, _) => {
                let number = self.nodes.len();
                self.nodes.push(FlameNode {
                    site,
                    above,
                    own_work: Duration::ZERO,
                    work: Duration::ZERO,
                    own_span: Duration::ZERO,
                    span: Duration::ZERO,
                });
                self.below.push(Vec::new());
                let siblings = match above {
                    Some(above) => &mut self.below[above],
                    None => &mut self.first,
                };
                siblings.push(number);
                number
            }
        }
    }

    /// With the sums from the ends of the chains up.
    fn summed(mut self) -> Flame {
        for number in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[number];
            node.work += node.own_work;
            node.span += node.own_span;
            let FlameNode {
                above, work, span, ..
            } = *node;
            if let Some(above) = above {
                self.nodes[above].work += work;
                self.nodes[above].span += span;
            }
        }
        Flame { nodes: self.nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::testing::random_dag;

    #[test]
    fn a_recursion_is_one_link_and_stolen_work_lies_under_its_fork() {
        let nanos = |nanos| Step::Work(Duration::from_nanos(nanos));
        let mut dag = Dag::default();
        let leaf = dag.add(filch_profile::Task::new(vec![nanos(1)]));
        let mut root = leaf;
        for site in [2, 1, 1, 1] {
            let join = Step::Join {
                site: SiteId(site),
                first: root,
                second: leaf,
            };
            root = dag.add(filch_profile::Task::new(vec![nanos(10), join]));
        }
        let flame = Flame::of_sections(&dag, [(SiteId(0), root)].into_iter());
        let found: Vec<_> = flame
            .nodes
            .iter()
            .map(|node| {
                let nanos = [node.own_work, node.work, node.own_span, node.span];
                (
                    node.site.0,
                    node.above,
                    nanos.map(|time| time.picos() / 1000),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (0, None, [10, 45, 10, 41]),
                (1, Some(0), [33, 35, 30, 31]),
                (2, Some(1), [2, 2, 1, 1]),
            ]
        );
        assert_eq!(flame.below(Some(0)).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn the_times_of_all_chains_are_work_and_span() {
        for seed in 0..300 {
            let (dag, root) = random_dag(seed);
            let flame = Flame::of_sections(&dag, [(SiteId(4), root)].into_iter());
            let size = Sizes::of(&dag, Duration::ZERO).get(root);
            let sum = |own: fn(&FlameNode) -> Duration| flame.nodes.iter().map(own).sum();
            assert_eq!(size.work, sum(|node| node.own_work));
            assert_eq!(size.span, sum(|node| node.own_span));
            assert!(flame.nodes.iter().all(|node| node.span <= node.work));
        }
    }
}
