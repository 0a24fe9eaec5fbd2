//! Where a program would gain by forking less.

use filch_profile::{Duration, Kind, Profile, SiteId};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

use super::analysis::{Analysis, Grain};
use super::prediction::Prediction;
use super::sites::{SiteFigures, ratio};
use super::what_if::WhatIf;

/// A cut-off is worth its trouble from this gain on.
const WORTH: f64 = 1.03;
/// A site with less of the work is not looked at.
const LEAST_SHARE_OF_WORK: f64 = 0.05;
/// Nor is one with fewer forks.
const FEWEST_FORKS: u64 = 100;
/// Of the time that all forks of a site take, a cut-off is to save this share. Larger ones save a
/// little more and leave less to other processors.
const MOST_OF_IT: f64 = 0.8;
/// What is left over must be this many pieces of work.
const PIECES: u64 = 1000;

/// A cut-off that gains something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutOff {
    /// The site that forks too often.
    pub site: SiteId,
    /// The share of the work under it that forks take.
    pub share_of_forks: f64,
    /// Below so much work it should not fork.
    pub least: Duration,
    /// The processors on which it was tried: those of the recorded run.
    pub processors: usize,
    /// How many times shorter the program is then, by a replay.
    pub gain: f64,
}

impl CutOff {
    /// The cut-offs that gain something, each by itself.
    pub fn all(profile: &Profile, analysis: &Analysis, prices: &Prices, seed: Seed) -> Vec<Self> {
        let fine = analysis.sites.iter().filter(|site| {
            matches!(site.kind, Kind::Join | Kind::Spawn)
                && site.forks >= FEWEST_FORKS
                && site.share_of_work >= LEAST_SHARE_OF_WORK
                && analysis.grain.share_of_forks(site.mean_grain) >= Grain::SHARE
        });
        let processors = profile.program.processors.max(1) as usize;
        let time = |profile: &Profile| {
            let prediction = Prediction::of(profile, prices, &[processors], seed);
            prediction.rows[0].time
        };
        let mut now = None;
        let mut found = Vec::new();
        for site in fine {
            let Some((least, changed)) = cheapest(profile, site, prices.fork) else {
                continue;
            };
            let now = *now.get_or_insert_with(|| time(profile));
            let gain = ratio(now, time(&changed));
            if gain >= WORTH {
                found.push(Self {
                    site: site.site,
                    share_of_forks: analysis.grain.share_of_forks(site.mean_grain),
                    least,
                    processors,
                    gain,
                });
            }
        }
        found
    }
}

/// The least of some round times that saves most of what the largest saves, and the program with
/// it.
fn cheapest(profile: &Profile, site: &SiteFigures, fork: Duration) -> Option<(Duration, Profile)> {
    let most = Duration::from_picos(site.work.picos() / PIECES);
    let candidates: Vec<Duration> = round_times()
        .skip_while(|time| *time <= site.mean_grain)
        .take_while(|time| *time <= most)
        .collect();
    let with = |least: Duration| WhatIf::CutOff(site.site, least).apply(profile, fork);
    let now = work(profile);
    let saves = |changed: &Profile| (now - work(changed)).picos() as f64;
    let wanted = MOST_OF_IT * saves(&with(*candidates.last()?));
    candidates.into_iter().find_map(|least| {
        let changed = with(least);
        (saves(&changed) >= wanted).then_some((least, changed))
    })
}

/// 10 ns, 20 ns, 50 ns and so on, up to 50 µs.
fn round_times() -> impl Iterator<Item = Duration> {
    let tens = [10, 100, 1000, 10_000u64].into_iter();
    tens.flat_map(|ten| [1, 2, 5].map(|digit| Duration::from_nanos(digit * ten)))
}

/// The work of all sections.
fn work(profile: &Profile) -> Duration {
    let sections = profile.sections.iter();
    sections.map(|section| section.measures.work).sum()
}
