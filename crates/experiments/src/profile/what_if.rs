//! The same program with one site changed.

use filch_profile::{Dag, Duration, Profile, SiteId, Step, Task, TaskId};

use super::outermost::{site, times};
use super::sizes::Sizes;

/// A change at one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhatIf {
    /// All strands that run under the site, its own closures' and those that they fork, take so
    /// many times less time.
    Faster(SiteId, f64),
    /// What the site forks runs serially: the closures of a join one after the other, a child where
    /// it is spawned. What these fork stays parallel, but is waited for where the closure ends.
    /// Under a scope or an entry everything becomes serial.
    Serial(SiteId),
    /// What the site forks becomes serial, with all that is under it, where it has less work than
    /// this.
    CutOff(SiteId, Duration),
}

impl WhatIf {
    /// The site that changes.
    pub fn site(&self) -> SiteId {
        let (Self::Faster(site, _) | Self::Serial(site) | Self::CutOff(site, _)) = *self;
        site
    }

    /// The profile with other tasks, where each fork that is gone has taken `fork` of the strands.
    /// When sections were entered and what sites counted stays as it was recorded.
    pub fn apply(&self, profile: &Profile, fork: Duration) -> Profile {
        let sizes = Sizes::of(&profile.dag, Duration::ZERO);
        let mut change = Change {
            what: *self,
            fork,
            from: &profile.dag,
            sizes: &sizes,
            to: Dag::default(),
            outside: Vec::with_capacity(profile.dag.len()),
            under: Vec::new(),
        };
        change.tasks();
        let mut sections = profile.sections.clone();
        for section in &mut sections {
            section.root = change.root(section.site, section.root);
            section.measures = change.to.measures(section.root);
        }
        Profile {
            dag: change.to,
            sections,
            ..profile.clone()
        }
    }
}

struct Change<'a> {
    what: WhatIf,
    fork: Duration,
    from: &'a Dag,
    sizes: &'a Sizes,
    to: Dag,
    /// What became of each task outside of the site.
    outside: Vec<TaskId>,
    /// What became of it where the site forks it: faster, or without the fork.
    under: Vec<TaskId>,
}

impl Change<'_> {
    fn tasks(&mut self) {
        let from = self.from;
        for (_, task, _) in from.iter() {
            let mut steps = Vec::with_capacity(task.steps.len());
            for step in &task.steps {
                self.step(step, &mut steps);
            }
            let under = match self.what {
                WhatIf::Faster(_, factor) => {
                    let steps = task.steps.iter();
                    let faster = steps.map(|step| with_children(faster(step, factor), &self.under));
                    Some(faster.collect())
                }
                WhatIf::Serial(_) => Some(without_fork(&steps, self.fork)),
                WhatIf::CutOff(..) => None,
            };
            if let Some(steps) = under {
                self.under.push(self.to.add(Task::new(steps)));
            }
            self.outside.push(self.to.add(Task::new(steps)));
        }
    }

    /// The work of tasks that the site forks, if they and all under them run in one strand.
    fn as_one_strand(&self, tasks: impl Iterator<Item = TaskId>, forks: u64) -> Duration {
        let (mut work, mut forks) = (Duration::ZERO, forks);
        for task in tasks {
            let size = self.sizes.get(task);
            work += size.work;
            forks += size.forks;
        }
        work - times(self.fork, forks)
    }

    /// What becomes of a step outside of the site.
    fn step(&self, step: &Step, steps: &mut Vec<Step>) {
        if site(step) != Some(self.what.site()) {
            steps.push(with_children(*step, &self.outside));
            return;
        }
        let work: Duration = step
            .children()
            .map(|child| self.sizes.get(child).work)
            .sum();
        match (self.what, *step) {
            (WhatIf::Faster(..), _) => steps.push(with_children(*step, &self.under)),
            (WhatIf::CutOff(_, least), _) if work >= least => {
                steps.push(with_children(*step, &self.outside));
            }
            (WhatIf::CutOff(..), _) | (WhatIf::Serial(_), Step::Scope { .. } | Step::Work(_)) => {
                let forks = u64::from(!matches!(step, Step::Scope { .. }));
                steps.push(Step::Work(self.as_one_strand(step.children(), forks)));
            }
            (WhatIf::Serial(site), Step::Join { .. } | Step::Spawn { .. }) => {
                // A scope around a closure without a spawn beside it is a plain call. The fork was
                // part of the first closure's strands.
                let became = [&self.under, &self.outside];
                steps.extend(step.children().zip(became).map(|(child, became)| {
                    let body = became[child.0 as usize];
                    Step::Scope { site, body }
                }));
            }
        }
    }

    /// What becomes of the root of a section that `site` entered.
    fn root(&mut self, site: SiteId, root: TaskId) -> TaskId {
        let outside = self.outside[root.0 as usize];
        if site != self.what.site() {
            return outside;
        }
        let work = self.sizes.get(root).work;
        match self.what {
            WhatIf::Faster(..) => self.under[root.0 as usize],
            WhatIf::CutOff(_, least) if work >= least => outside,
            WhatIf::CutOff(..) | WhatIf::Serial(_) => {
                let work = self.as_one_strand(std::iter::once(root), 0);
                self.to.add(Task::new(vec![Step::Work(work)]))
            }
        }
    }
}

/// The step, if it is a strand in a shorter time.
fn faster(step: &Step, factor: f64) -> Step {
    match *step {
        Step::Work(time) => {
            let time = time.picos() as f64 / factor;
            Step::Work(Duration::from_picos(time.round() as u64))
        }
        forks => forks,
    }
}

/// The steps without what a fork took of the strands.
fn without_fork(steps: &[Step], fork: Duration) -> Vec<Step> {
    let mut left = fork;
    let mut shorter = steps.to_vec();
    for step in &mut shorter {
        if let Step::Work(time) = step {
            (*time, left) = (*time - left, left - *time);
        }
    }
    shorter
}

/// The step with the tasks that its children became.
fn with_children(step: Step, became: &[TaskId]) -> Step {
    let of = |task: TaskId| became[task.0 as usize];
    match step {
        Step::Work(time) => Step::Work(time),
        Step::Join {
            site,
            first,
            second,
        } => Step::Join {
            site,
            first: of(first),
            second: of(second),
        },
        Step::Scope { site, body } => Step::Scope {
            site,
            body: of(body),
        },
        Step::Spawn { site, child } => Step::Spawn {
            site,
            child: of(child),
        },
    }
}
