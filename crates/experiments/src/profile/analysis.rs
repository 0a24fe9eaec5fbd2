//! All that a profile says by itself.

use filch_profile::{Duration, Profile, SiteId, TaskId};

use super::critical_path::CriticalPath;
use super::sites::{self, SiteFigures, ratio};
use super::sizes::Sizes;
use super::timeline::Timeline;

/// The conclusions from one profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The program as a whole.
    pub total: Total,
    /// Each site that occurs, by its number.
    pub sites: Vec<SiteFigures>,
    /// What lies on the longest path.
    pub critical_path: CriticalPath,
    /// What forks cost.
    pub grain: Grain,
}

/// The program as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// The time outside of sections.
    pub serial: Duration,
    /// The work of all sections together, without the serial time.
    pub work: Duration,
    /// The spans of all sections, one after the other.
    pub span: Duration,
    /// The same with the burden of each fork on the path.
    pub burdened_span: Duration,
    /// The joins, the children of scopes and the jobs on their own.
    pub forks: u64,
    /// How many of them are jobs on their own, for which no caller waits: each is a section.
    pub detached: u64,
    /// How many jobs thieves ran.
    pub steals: u64,
    /// The mean work between two forks.
    pub mean_grain: Duration,
}

impl Total {
    /// T1 of the program: its serial time and the work of its sections.
    pub fn t1(&self) -> Duration {
        self.serial + self.work
    }

    /// Tinf of the program: its serial time and the spans of its sections.
    pub fn tinf(&self) -> Duration {
        self.serial + self.span
    }

    /// T1 for each unit of Tinf.
    pub fn parallelism(&self) -> f64 {
        ratio(self.t1(), self.tinf())
    }

    /// The same with the burden of each fork on the path.
    pub fn burdened_parallelism(&self) -> f64 {
        ratio(self.t1(), self.serial + self.burdened_span)
    }
}

/// At which grain forks stop paying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// What a fork takes whose job no thief takes. The strands around it contain it.
    pub fork: Duration,
    /// A job of less work than this is not worth a thief: by the time at which the thief has it,
    /// the worker that forked it could have run it.
    pub break_even: Duration,
    /// If a task does less than this between two forks, forks take more than
    /// [`Grain::SHARE`] of the time.
    pub fine: Duration,
}

impl Grain {
    /// The share of the time that forks may take before they count as too fine: 5 %.
    pub const SHARE: f64 = 0.05;

    /// The grain at which forks stop paying, if a fork and a steal take so long.
    pub fn of(fork: Duration, steal: Duration) -> Self {
        let fine = fork.picos() as f64 / Self::SHARE;
        Self {
            fork,
            break_even: fork + steal,
            fine: Duration::from_picos(fine.round() as u64),
        }
    }

    /// The share of the time that forks take where a task works so long for each of them.
    pub fn share_of_forks(&self, grain: Duration) -> f64 {
        ratio(self.fork.min(grain), grain)
    }
}

impl Analysis {
    /// Concludes from a profile, where a fork and a steal take so long. The burden of a fork on the
    /// critical path is a steal; what the fork itself takes is part of the recorded strands.
    pub fn of(profile: &Profile, fork: Duration, steal: Duration) -> Self {
        let sizes = Sizes::of(&profile.dag, steal);
        let timeline = Timeline::of(profile);
        let mut total = Total {
            serial: timeline.serial,
            work: Duration::ZERO,
            span: Duration::ZERO,
            burdened_span: Duration::ZERO,
            forks: 0,
            detached: 0,
            steals: profile.sections.iter().map(|section| section.steals).sum(),
            mean_grain: Duration::ZERO,
        };
        for section in &profile.sections {
            let size = sizes.get(section.root);
            total.work += size.work;
            total.forks += size.forks;
            total.detached += u64::from(!section.is_awaited);
        }
        // Each section is a strand more than its forks.
        let strands = total.forks + profile.sections.len() as u64;
        total.forks += total.detached;
        let mut on_path: Vec<(SiteId, TaskId)> = Vec::new();
        for phase in &timeline.phases {
            let longest = phase.longest_chain(profile, |root| sizes.get(root).span);
            total.span += longest.length;
            let sections = longest.sections.iter().map(|&at| &profile.sections[at]);
            on_path.extend(sections.map(|section| (section.site, section.root)));
            let burdened = phase.longest_chain(profile, |root| sizes.get(root).burdened_span);
            total.burdened_span += burdened.length;
        }
        total.mean_grain = Duration::from_picos(total.work.picos() / strands.max(1));
        let critical_path = CriticalPath::of(
            &profile.dag,
            &sizes,
            &on_path,
            total.serial,
            profile.sites.len(),
        );
        Self {
            total,
            sites: sites::figures(profile, &sizes, steal, &critical_path),
            critical_path,
            grain: Grain::of(fork, steal),
        }
    }
}
