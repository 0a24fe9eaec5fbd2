//! The longest path through a program, by the places that it passes.

use filch_profile::{Dag, Duration, SiteId, TaskId};

use super::longest_path::{End, LongestPath};
use super::outermost::times;
use super::sizes::Sizes;

/// The longest path through all sections, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// The program's own time outside of sections, which is serial.
    pub serial: Duration,
    /// The sites whose closures lie on it, the one with the most time first.
    pub sites: Vec<OnPath>,
    /// Its length: the serial time and the time of all sites.
    pub length: Duration,
}

/// What one site contributes to the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnPath {
    /// The site that forked what lies on the path: the innermost one, so that no time counts twice.
    pub site: SiteId,
    /// The time of those strands.
    pub time: Duration,
    /// How often the path passes through a closure of this site.
    pub passes: u64,
    /// The share of the length.
    pub share: f64,
}

/// How often the path runs through a task: to its own last instruction, or to the end of the last
/// child that it leaves behind.
#[derive(Clone, Copy, Debug, Default)]
struct Passes {
    to_its_end: u64,
    to_the_last: u64,
}

impl CriticalPath {
    /// The path through sections, each given by its site and its root.
    pub(super) fn of(
        dag: &Dag,
        sizes: &Sizes,
        sections: &[(SiteId, TaskId)],
        serial: Duration,
        sites: usize,
    ) -> Self {
        let mut walk = Walk {
            longest: LongestPath { dag, sizes },
            passes: vec![Passes::default(); dag.len()],
            sites: vec![(Duration::ZERO, 0); sites],
        };
        for &(site, root) in sections {
            walk.enter(site, root, 1, End::TheLast);
        }
        for task in (0..dag.len()).rev().map(|task| TaskId(task as u32)) {
            walk.pass(task);
        }
        let length = serial + walk.sites.iter().map(|&(time, _)| time).sum();
        let share = |time: Duration| time.picos() as f64 / length.picos().max(1) as f64;
        let mut on_path: Vec<_> = (0u32..)
            .zip(&walk.sites)
            .filter(|(_, (_, passes))| *passes > 0)
            .map(|(site, &(time, passes))| OnPath {
                site: SiteId(site),
                time,
                passes,
                share: share(time),
            })
            .collect();
        on_path.sort_by_key(|on_path| (core::cmp::Reverse(on_path.time), on_path.site));
        Self {
            serial,
            sites: on_path,
            length,
        }
    }

    /// What a site contributes; nothing if the path does not touch it.
    pub fn at(&self, site: SiteId) -> Option<&OnPath> {
        self.sites.iter().find(|on_path| on_path.site == site)
    }
}

struct Walk<'a> {
    longest: LongestPath<'a>,
    passes: Vec<Passes>,
    /// The time on the path and the passes, by site.
    sites: Vec<(Duration, u64)>,
}

impl Walk<'_> {
    /// The path runs `count` times through `task`, which `site` forked.
    fn enter(&mut self, site: SiteId, task: TaskId, count: u64, end: End) {
        let (time, passes) = &mut self.sites[site.0 as usize];
        *time += times(self.longest.own(task, end), count);
        *passes = passes.saturating_add(count);
        let passes = &mut self.passes[task.0 as usize];
        let passes = match end {
            End::Its => &mut passes.to_its_end,
            End::TheLast => &mut passes.to_the_last,
        };
        *passes = passes.saturating_add(count);
    }

    /// What the path passes within a task, as often as it runs through it.
    fn pass(&mut self, task: TaskId) {
        let passes = self.passes[task.0 as usize];
        for (count, end) in [
            (passes.to_its_end, End::Its),
            (passes.to_the_last, End::TheLast),
        ] {
            if count > 0 {
                for (site, child, end) in self.longest.passed(task, end) {
                    self.enter(site, child, count, end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_dag, unrolled};
    use super::*;

    /// The sites sum up to the span, and no site has more than the tree written out says.
    #[test]
    fn the_path_is_as_long_as_the_span() {
        for seed in 0..300 {
            let (dag, root) = random_dag(seed);
            let sizes = Sizes::of(&dag, Duration::ZERO);
            let serial = Duration::from_picos(5);
            let path = CriticalPath::of(&dag, &sizes, &[(SiteId(4), root)], serial, 5);
            let span = sizes.get(root).span;
            assert_eq!(path.length, span + serial, "seed {seed}");
            let shares: f64 = path.sites.iter().map(|site| site.share).sum();
            let serial = 5.0 / path.length.picos() as f64;
            assert!((shares + serial - 1.0).abs() < 1e-9);
            let plain = unrolled(&dag, root, Duration::ZERO);
            let mut found = [0; 5];
            for on_path in &path.sites {
                found[on_path.site.0 as usize] = on_path.time.picos();
            }
            assert_eq!(found, plain.on_path, "seed {seed}");
        }
    }
}
