//! `filch profile`: what a recorded program says.
//!
//! [`conclude`] is what another front end calls: it draws the conclusions that [`Conclusions`] then
//! shows on a terminal ([`Conclusions::page`]) or as JSON ([`Conclusions::json`]).

mod answer;
mod chart;
mod hints;
mod page;
mod tables;

use std::path::Path;

use filch_experiments::profile::{
    Analysis, Costs, CutOff, Exported, Prediction, WhatIf, one_site_per_line, only_section,
};
use filch_profile::{Profile, SiteId};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

use crate::args::ProfileArgs;
use crate::failure::Failure;
use crate::folder::{OutputFile, shown};
use crate::output;
use crate::progress::Bar;

/// An exported dag has at most so many instructions, which is some ten megabytes.
const MOST_INSTRUCTIONS: u64 = 100_000;

/// What is asked of a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The numbers of processors to predict for.
    pub processors: Vec<usize>,
    /// A change at one site.
    pub what_if: Option<WhatIf>,
    /// One section alone, by its number.
    pub section: Option<usize>,
    /// What forks, steals and wake-ups take; measured if none is given.
    pub prices: Option<Prices>,
    /// The seed of the replay.
    pub seed: Seed,
}

impl Default for Options {
    /// The powers of two up to 1024, the whole program, and the costs of this machine.
    fn default() -> Self {
        Self {
            processors: (0..=10).map(|power| 1 << power).collect(),
            what_if: None,
            section: None,
            prices: None,
            seed: Seed::default(),
        }
    }
}

/// What a profile says.
#[derive(Clone, Debug)]
pub struct Conclusions {
    /// The profile, or the section of it that was asked for.
    pub profile: Profile,
    /// Its section, if one was asked for.
    pub section: Option<usize>,
    /// Whether the forks and steals of sites are those of the profile or the section. They are
    /// counted for the whole program, and not for each section.
    pub has_site_counts: bool,
    /// Work, span, sites, the critical path.
    pub analysis: Analysis,
    /// The costs as they were measured; none if they were given.
    pub costs: Option<Costs>,
    /// The prices of the replay.
    pub prices: Prices,
    /// The program as it was recorded, on other machines.
    pub prediction: Prediction,
    /// The program with a change, on other machines.
    pub changed: Option<(WhatIf, Prediction)>,
    /// Where the program as it was recorded forks too often.
    pub cut_offs: Vec<CutOff>,
}

/// Draws the conclusions from a profile.
///
/// # Errors
///
/// If there is no section or no site of the number that was asked for.
pub fn conclude(profile: &Profile, options: &Options) -> Result<Conclusions, Failure> {
    let whole = one_site_per_line(profile);
    let has_site_counts = options.section.is_none() || whole.sections.len() == 1;
    let profile = match options.section {
        None => whole.into_owned(),
        Some(number) => only_section(&whole, number).ok_or_else(|| {
            let count = profile.sections.len();
            let known = match count.checked_sub(1) {
                Some(last) => format!("they go from 0 to {last}"),
                None => "the profile has none".to_owned(),
            };
            Failure::usage(format!("--section {number}: no such section: {known}"))
        })?,
    };
    if let Some(SiteId(site)) = options.what_if.map(|what| what.site())
        && site as usize >= profile.sites.len()
    {
        return Err(Failure::usage(format!(
            "--site {site}: no such site: 'filch profile' without --site lists them"
        )));
    }
    let costs = options.prices.is_none().then(Costs::measure);
    let measured = costs.map(|costs| costs.prices());
    let prices = options.prices.or(measured).expect("given or measured");
    let predict =
        |profile: &Profile| Prediction::of(profile, &prices, &options.processors, options.seed);
    let analysis = Analysis::of(&profile, prices.fork, prices.steal);
    Ok(Conclusions {
        section: options.section,
        has_site_counts,
        cut_offs: CutOff::all(&profile, &analysis, &prices, options.seed),
        analysis,
        costs,
        prices,
        prediction: predict(&profile),
        changed: options
            .what_if
            .map(|what| (what, predict(&what.apply(&profile, prices.fork)))),
        profile,
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

pub(crate) fn run(options: &ProfileArgs) -> Result<(), Failure> {
    let path = &options.file;
    let export = options.export_dag.as_deref();
    if export.is_some_and(|export| is_same_file(export, path)) {
        return Err(Failure::usage(format!(
            "--export-dag: '{}' is the profile itself: name another file",
            shown(path)
        )));
    }
    let export = export
        .map(|path| OutputFile::try_out("--export-dag", path))
        .transpose()?;
    options.threads.choose()?;
    let bar = Bar::busy(format!("reading {}", shown(path)));
    let profile = Profile::read(path)
        .map_err(|error| Failure::usage(format!("cannot read '{}': {error}", shown(path))))?;
    bar.finish();
    let bar = Bar::busy("replaying".to_owned());
    let conclusions = conclude(&profile, &options.options());
    bar.finish();
    let conclusions = conclusions?;
    if let Some(file) = export {
        let exported = Exported::of(&conclusions.profile, MOST_INSTRUCTIONS)
            .map_err(|error| Failure::usage(format!("--export-dag: {error}")))?;
        file.write(&exported.dag.to_json())?;
    }
    if options.simulation.json {
        output::print(&conclusions.json())
    } else {
        output::print_page(&conclusions.page())
    }
}
