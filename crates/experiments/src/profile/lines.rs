//! Sites that are one line of the source.

use std::borrow::Cow;
use std::collections::HashMap;

use filch_profile::{Dag, Frame, Kind, Profile, Site, SiteId, Step, Task};

/// The profile with one site for each line that calls, where lines are known.
///
/// A recorder tells calls apart by their addresses and by the types of their closures. So a call in
/// a loop that the compiler has unrolled is several sites, and so is the first call of a recursion
/// beside those within it. Sites are one if they make the same kind of call, at the same line, and
/// the calls that led there have the same lines. What lies between two calls from the same line, in
/// a recursion, does not count.
pub fn one_site_per_line(profile: &Profile) -> Cow<'_, Profile> {
    let mut known: HashMap<(Kind, Vec<Call<'_>>), SiteId> = HashMap::new();
    let mut sites: Vec<Site> = Vec::new();
    let mut became: Vec<SiteId> = Vec::with_capacity(profile.sites.len());
    for site in &profile.sites {
        let next = SiteId(sites.len() as u32);
        let same = match calls(site) {
            Some(calls) => *known.entry((site.kind, calls)).or_insert(next),
            None => next,
        };
        if same == next {
            sites.push(site.clone());
        } else {
            let sum = &mut sites[same.0 as usize];
            sum.forks += site.forks;
            sum.steals += site.steals;
        }
        became.push(same);
    }
    if sites.len() == profile.sites.len() {
        return Cow::Borrowed(profile);
    }
    Cow::Owned(renumbered(profile, sites, &became))
}

/// A call on a stack, by its line, or by its function if the line is not known.
#[derive(PartialEq, Eq, Hash)]
enum Call<'a> {
    Line(&'a str, u32),
    Function(&'a str),
}

impl<'a> Call<'a> {
    fn of(frame: &'a Frame) -> Self {
        match &frame.place {
            Some((file, line)) => Self::Line(file, *line),
            None => Self::Function(&frame.function),
        }
    }
}

/// The calls that led to a site, from its line in the user's code outwards; none if that line is
/// not known.
fn calls(site: &Site) -> Option<Vec<Call<'_>>> {
    let user = site.frames.get(site.user?)?;
    user.place.as_ref()?;
    let outermost = site
        .frames
        .iter()
        .rposition(|frame| frame.place == user.place)?;
    Some(site.frames[outermost..].iter().map(Call::of).collect())
}

/// The profile with other sites, by what each of its own became.
fn renumbered(profile: &Profile, sites: Vec<Site>, became: &[SiteId]) -> Profile {
    let of = |site: SiteId| became[site.0 as usize];
    let mut dag = Dag::default();
    for (_, task, measures) in profile.dag.iter() {
        let steps = task.steps.iter().map(|step| match *step {
            Step::Work(time) => Step::Work(time),
            Step::Join {
                site,
                first,
                second,
            } => Step::Join {
                site: of(site),
                first,
                second,
            },
            Step::Scope { site, body } => Step::Scope {
                site: of(site),
                body,
            },
            Step::Spawn { site, child } => Step::Spawn {
                site: of(site),
                child,
            },
        });
        dag.add_measured(Task::new(steps.collect()), measures);
    }
    let mut sections = profile.sections.clone();
    for section in &mut sections {
        section.site = of(section.site);
    }
    let mut stretches = profile.stretches.clone();
    for stretch in &mut stretches {
        stretch.site = of(stretch.site);
    }
    Profile {
        program: profile.program.clone(),
        recording: profile.recording.clone(),
        sites,
        dag,
        sections,
        stretches,
    }
}
