//! What a reader of a profile should know or could do.

use filch_experiments::profile::{CutOff, disturbance};
use filch_profile::{Duration, Ending};
use filch_report::number::decimals;
use filch_report::profile::{has_function, has_line, per_cent, place, time};

use super::Conclusions;
use crate::output::count;

/// A site is worth a hint from this share of the critical path on.
const WORTH: f64 = 0.05;
/// Serial time is worth a hint from this share of T1 on.
const SERIAL: f64 = 0.01;

impl Conclusions {
    /// What a reader should know or could do, a line each.
    pub fn hints(&self) -> Vec<String> {
        hints(self)
    }
}

fn hints(of: &Conclusions) -> Vec<String> {
    let mut hints = Vec::new();
    let profile = &of.profile;
    if profile.recording.ending == Ending::CutShort {
        hints.push(
            "the recording was cut short: sections that had not ended by then are missing"
                .to_owned(),
        );
    }
    if profile.sections.is_empty() {
        hints.push("no section has ended: there is nothing to conclude from".to_owned());
        return hints;
    }
    let (threads, processors) = (profile.program.threads, profile.program.processors);
    if threads > processors {
        hints.push(format!(
            "recorded on more threads than processors: strands contain the time in which their \
             thread waited for one of the {processors}, unless it slept"
        ));
    }
    if let Some(share) = disturbance(profile, &of.analysis.total) {
        hints.push(format!(
            "other programs ran beside it: its threads had no processor for {} of their time, and \
             strands contain that; record it on a quiet machine",
            per_cent(share)
        ));
    }
    let tolerance = profile.recording.tolerance;
    if tolerance > 0.0 {
        hints.push(format!(
            "tasks that differ by less than {} are stored as one",
            per_cent(tolerance)
        ));
    }
    if !profile.sites.is_empty() && !profile.sites.iter().any(has_line) {
        let is_stripped = !profile.sites.iter().any(has_function);
        let also = if is_stripped {
            " CARGO_PROFILE_RELEASE_STRIP=none, since the program has no symbols"
        } else {
            ""
        };
        hints.push(format!(
            "no lines are known: build with CARGO_PROFILE_RELEASE_DEBUG=line-tables-only{also}"
        ));
    }
    if let Some(costs) = &of.costs
        && (costs.steal.is_disturbed()
            || costs.wake.is_disturbed()
            || costs.steal.low > costs.wake.low)
    {
        hints.push(
            "the machine is busy: what steals and wake-ups take is uncertain; 'filch profile FILE \
             --costs FORK,STEAL,WAKE' sets it"
                .to_owned(),
        );
    }
    let total = &of.analysis.total;
    let serial = total.serial.picos() as f64 / total.t1().picos().max(1) as f64;
    if serial >= SERIAL {
        hints.push(format!(
            "{} of the time is serial: that alone limits the speed-up to {}",
            per_cent(serial),
            decimals(1.0 / serial, 1)
        ));
    }
    hints.extend(divides_by_threads(of));
    let cut_offs = of.cut_offs.iter();
    hints.extend(cut_offs.map(|cut_off| too_fine(of, cut_off)));
    let path = &of.analysis.critical_path;
    if let Some(first) = path.sites.first()
        && first.share >= WORTH
        && first.time > path.serial
    {
        hints.push(format!(
            "shorten site {} first: {} of the critical path is in its closures",
            first.site.0,
            per_cent(first.share)
        ));
    }
    hints
}

/// A program that makes as many tasks as there are threads looks as if it had no more parallelism.
fn divides_by_threads(of: &Conclusions) -> Option<String> {
    let threads = of.profile.program.threads;
    let total = &of.analysis.total;
    let parallelism = total.work.picos() as f64 / total.span.picos().max(1) as f64;
    let per_thread = parallelism / f64::from(threads.max(1));
    let is_alike = (0.5..=1.5).contains(&per_thread);
    let processors = of.profile.program.processors;
    let how = if threads < processors {
        format!("record it on more, such as RAYON_NUM_THREADS={processors}")
    } else {
        "record it on a machine with more processors".to_owned()
    };
    (threads > 1 && is_alike).then(|| {
        format!(
            "the parallelism of its sections is about the number of threads, {threads}: the program \
             may divide its work by them; {how}"
        )
    })
}

/// A site whose forks take much of its time, and what to do about it.
fn too_fine(of: &Conclusions, cut_off: &CutOff) -> String {
    let site = cut_off.site;
    let figures = of
        .analysis
        .sites
        .iter()
        .find(|figures| figures.site == site);
    let grain = figures.map_or(Duration::ZERO, |figures| figures.mean_grain);
    let least = time(cut_off.least);
    format!(
        "site {} forks every {}: forks take {} of its time; not to fork below {least} of work gains \
         {} × on {} (what if: --site {} --cut-off {})  {}",
        site.0,
        time(grain),
        per_cent(cut_off.share_of_forks),
        decimals(cut_off.gain, 2),
        count(cut_off.processors as u64, "processor"),
        site.0,
        least.replace(' ', ""),
        place(&of.profile, site)
    )
}
