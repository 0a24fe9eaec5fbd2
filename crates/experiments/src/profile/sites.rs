//! What lies under each site.

use filch_profile::{Duration, Kind, Profile, SiteId, Step, TaskId};

use super::critical_path::CriticalPath;
use super::occurrences::occurrences;
use super::outermost::{ForkSteps, site, times};
use super::sizes::Sizes;

/// The figures of one site: of a place that forks, or of one that enters the scheduler.
///
/// Where a site occurs within itself, as in a recursion, `work` and the spans are those of its
/// outermost occurrences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteFigures {
    /// The place.
    pub site: SiteId,
    /// What is called there.
    pub kind: Kind,
    /// The time of all that runs under it.
    pub work: Duration,
    /// The share of the work of all sections.
    pub share_of_work: f64,
    /// The time of the closures themselves that it forks, without what these fork.
    pub own: Duration,
    /// The spans of its occurrences, summed up.
    pub span: Duration,
    /// The same with the burden of each fork on the path.
    pub burdened_span: Duration,
    /// How often it occurs outside of itself.
    pub outermost: u64,
    /// How often it forked.
    pub forks: u64,
    /// How many of these jobs a thief ran.
    pub steals: u64,
    /// The mean work of a job that a thief could take from it; none if it forks none.
    pub mean_task: Option<Duration>,
    /// The mean work between two forks under it: its work for each fork there and one more.
    pub mean_grain: Duration,
    /// The time of its own closures on the critical path.
    pub on_path: Duration,
    /// The share of the critical path.
    pub share_of_path: f64,
}

impl SiteFigures {
    /// The work for each unit of span.
    pub fn parallelism(&self) -> f64 {
        ratio(self.work, self.span)
    }

    /// The same with the burden.
    pub fn burdened_parallelism(&self) -> f64 {
        ratio(self.work, self.burdened_span)
    }
}

/// The quotient of two times, 1 if there is none.
pub(super) fn ratio(time: Duration, of: Duration) -> f64 {
    if of == Duration::ZERO {
        return 1.0;
    }
    time.picos() as f64 / of.picos() as f64
}

/// What can be summed up over all occurrences of a site.
#[derive(Clone, Copy, Default)]
struct Everywhere {
    own: Duration,
    jobs: u64,
    jobs_work: Duration,
}

/// The figures of all sites that occur, by their numbers.
pub(super) fn figures(
    profile: &Profile,
    sizes: &Sizes,
    burden: Duration,
    path: &CriticalPath,
) -> Vec<SiteFigures> {
    let roots = |wanted: &dyn Fn(SiteId) -> bool| -> Vec<TaskId> {
        let sections = profile.sections.iter();
        let wanted = sections.filter(|section| wanted(section.site));
        wanted.map(|section| section.root).collect()
    };
    let all = roots(&|_| true);
    let work = all.iter().map(|&root| sizes.get(root).work).sum();
    let everywhere = everywhere(profile, sizes, &all);
    let steps = ForkSteps::of(&profile.dag, sizes, burden);
    let mut figures = Vec::new();
    for (number, recorded) in (0..).zip(&profile.sites) {
        let here = SiteId(number);
        // A section lies within no other, so that one that a site enters is outermost.
        let mut sum = steps.outermost(here, &roots(&|site| site != here));
        for root in roots(&|site| site == here) {
            sum.add(&sizes.get(root), 1);
        }
        if sum.count == 0 {
            continue;
        }
        let Everywhere {
            own,
            jobs,
            jobs_work,
        } = everywhere[number as usize];
        let on_path = path.at(here);
        figures.push(SiteFigures {
            site: here,
            kind: recorded.kind,
            work: sum.work,
            share_of_work: sum.work.picos() as f64 / Duration::picos(work).max(1) as f64,
            own,
            span: sum.span,
            burdened_span: sum.burdened_span,
            outermost: sum.count,
            forks: recorded.forks,
            steals: recorded.steals,
            mean_task: jobs_work
                .picos()
                .checked_div(jobs)
                .map(Duration::from_picos),
            mean_grain: Duration::from_picos(sum.work.picos() / (sum.forks + sum.count)),
            on_path: on_path.map_or(Duration::ZERO, |on_path| on_path.time),
            share_of_path: on_path.map_or(0.0, |on_path| on_path.share),
        });
    }
    figures
}

/// The sums over all occurrences, by site.
fn everywhere(profile: &Profile, sizes: &Sizes, roots: &[TaskId]) -> Vec<Everywhere> {
    let dag = &profile.dag;
    let counts = occurrences(dag, roots.iter().copied());
    let mut sums = vec![Everywhere::default(); profile.sites.len()];
    for section in &profile.sections {
        sums[section.site.0 as usize].own += sizes.get(section.root).own;
    }
    for (id, task, _) in dag.iter() {
        let count = counts[id.0 as usize];
        for step in &task.steps {
            let Some(site) = site(step) else { continue };
            let sum = &mut sums[site.0 as usize];
            for child in step.children() {
                sum.own += times(sizes.get(child).own, count);
            }
            let job = match *step {
                Step::Join { second, .. } => second,
                Step::Spawn { child, .. } => child,
                Step::Work(_) | Step::Scope { .. } => continue,
            };
            sum.jobs = sum.jobs.saturating_add(count);
            sum.jobs_work += times(sizes.get(job).work, count);
        }
    }
    sums
}
