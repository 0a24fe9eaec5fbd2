//! The stability region: a critical load for each farm, by both estimates.

use filch_sim::farm::Batches;

use super::backlog::{CriticalLoad, critical};
use super::search::{LoadRange, search};
use crate::chapters::farm::farm;
use crate::chapters::{Scale, Setting};

/// The highest load that is tried.
pub(super) const TOP: f64 = 0.995;
pub(super) const SERVERS: usize = 100;

/// Which farms are mapped, and how precisely.
pub(super) struct RegionPlan {
    /// Numbers of slow servers among the hundred.
    pub(super) slow: &'static [usize],
    /// Speeds of the fast servers over that of the slow ones.
    pub(super) ratios: &'static [f64],
    pub(super) slots: u32,
    /// The width at which the bisection ends.
    pub(super) resolution: f64,
    pub(super) replications: u64,
    /// Slots of a run with a backlog at the slow servers.
    pub(super) behind: u32,
}

impl RegionPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            slow: scale.pick(
                &[50][..],
                &[10, 30, 50, 70, 90],
                &[10, 20, 30, 40, 50, 60, 70, 80, 90],
            ),
            ratios: scale.pick(&[10.0][..], &RATIOS, &RATIOS),
            slots: scale.pick(2_000, 100_000, 300_000),
            resolution: scale.pick(0.2, 0.01, 0.005),
            replications: scale.pick(1, 2, 2),
            behind: scale.pick(1_000, 20_000, 200_000),
        }
    }
}

/// One farm. The arrays are whole, then split, as in [`Batches::ALL`].
pub(super) struct MappedFarm {
    pub(super) slow: usize,
    pub(super) ratio: f64,
    pub(super) bounds: [LoadRange; 2],
    pub(super) behind: [CriticalLoad; 2],
}

impl MappedFarm {
    pub(super) fn name(&self) -> String {
        format!("{}:{} ×{}", self.slow, SERVERS - self.slow, self.ratio)
    }
}

const RATIOS: [f64; 4] = [2.0, 5.0, 10.0, 20.0];

pub(super) fn map(setting: &Setting<'_>, plan: &RegionPlan) -> Vec<MappedFarm> {
    let farms: Vec<(usize, f64)> = plan
        .ratios
        .iter()
        .flat_map(|&ratio| plan.slow.iter().map(move |&slow| (slow, ratio)))
        .collect();
    let each = 2 * plan.replications as usize;
    let searches = farms.len() * each;
    setting.expect(searches + 2 * farms.len());
    let servers = |at: usize| farm(farms[at].0, SERVERS - farms[at].0, farms[at].1);
    let found = setting.runs(searches, |at| {
        let at = at as usize;
        let replication = (at % each / 2) as u64;
        let batches = Batches::ALL[at % 2];
        search(setting, plan, &servers(at / each), batches, replication)
    });
    let bounds = |at: usize, kind: usize| {
        let found = &found[at * each..][..each];
        LoadRange::widest(found.iter().skip(kind).step_by(2))
    };
    let behind = setting.runs(2 * farms.len(), |at| {
        let (at, kind) = (at as usize / 2, at as usize % 2);
        let guess = bounds(at, kind).middle();
        critical(
            setting,
            &servers(at),
            Batches::ALL[kind],
            guess,
            plan.behind,
        )
    });
    let places = farms.iter().enumerate();
    places
        .map(|(at, &(slow, ratio))| MappedFarm {
            slow,
            ratio,
            bounds: [0, 1].map(|kind| bounds(at, kind)),
            behind: [behind[2 * at], behind[2 * at + 1]],
        })
        .collect()
}
