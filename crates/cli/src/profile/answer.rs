//! The conclusions as JSON. Times are in seconds.

use filch_experiments::profile::{Prediction, SiteFigures, WhatIf};
use filch_profile::{Duration, Ending};
use filch_report::profile::{kind, place};
use serde::Serialize;

use super::Conclusions;
use crate::output;

#[derive(Debug, Serialize)]
struct Answer {
    command: Vec<String>,
    threads: u32,
    processors: u32,
    wall: f64,
    recording_spent: f64,
    is_cut_short: bool,
    section: Option<usize>,
    sections: usize,
    serial: f64,
    work: f64,
    span: f64,
    burdened_span: f64,
    parallelism: f64,
    burdened_parallelism: f64,
    forks: u64,
    /// The forks that are jobs on their own.
    detached: u64,
    steals: u64,
    mean_grain: f64,
    /// The time of all threads on processors, and how often one was taken from them.
    processor_time: Option<f64>,
    preemptions: Option<u64>,
    costs: CostsAnswer,
    predictions: Vec<Row>,
    /// Sub-computations with less work were replayed as one strand, and by how much that lengthened
    /// the span.
    least_replayed: f64,
    span_lengthened: f64,
    what_if: Option<WhatIfAnswer>,
    sites: Vec<SiteAnswer>,
    critical_path: Vec<OnPathAnswer>,
}

#[derive(Debug, Serialize)]
struct CostsAnswer {
    are_measured: bool,
    fork: f64,
    steal: f64,
    wake: f64,
    /// A job with less work is not worth a steal.
    break_even: f64,
    /// Where there is less work between forks, these take more than 5 % of the time.
    fine: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    processors: usize,
    time: f64,
    speed_up: f64,
    efficiency: f64,
    least: f64,
    bound: f64,
    steals: u64,
    hand_overs: u64,
}

#[derive(Debug, Serialize)]
struct WhatIfAnswer {
    site: u32,
    change: &'static str,
    /// The factor, or the least work in seconds.
    value: Option<f64>,
    predictions: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct SiteAnswer {
    site: u32,
    call: &'static str,
    place: String,
    work: f64,
    share_of_work: f64,
    own_work: f64,
    span: f64,
    burdened_span: f64,
    parallelism: f64,
    occurrences: u64,
    /// Unknown for one section of several.
    forks: Option<u64>,
    steals: Option<u64>,
    mean_task: Option<f64>,
    mean_grain: f64,
    on_critical_path: f64,
    share_of_critical_path: f64,
}

#[derive(Debug, Serialize)]
struct OnPathAnswer {
    /// The site whose closures these are; none for the time outside of sections.
    site: Option<u32>,
    time: f64,
    share: f64,
    passes: Option<u64>,
}

impl Conclusions {
    /// The conclusions as one JSON object, which 'filch profile --json' prints.
    pub fn json(&self) -> String {
        output::json(&self.answer())
    }

    fn answer(&self) -> Answer {
        let (profile, total) = (&self.profile, &self.analysis.total);
        let grain = &self.analysis.grain;
        let usage = profile.program.usage;
        Answer {
            command: profile.program.command.clone(),
            threads: profile.program.threads,
            processors: profile.program.processors,
            wall: profile.program.wall.seconds(),
            recording_spent: profile.recording.spent.seconds(),
            is_cut_short: profile.recording.ending == Ending::CutShort,
            section: self.section,
            sections: profile.sections.len(),
            serial: total.serial.seconds(),
            work: total.work.seconds(),
            span: total.span.seconds(),
            burdened_span: total.burdened_span.seconds(),
            parallelism: total.parallelism(),
            burdened_parallelism: total.burdened_parallelism(),
            forks: total.forks,
            detached: total.detached,
            steals: total.steals,
            mean_grain: total.mean_grain.seconds(),
            processor_time: usage.map(|usage| usage.processor.seconds()),
            preemptions: usage.map(|usage| usage.preemptions),
            costs: CostsAnswer {
                are_measured: self.costs.is_some(),
                fork: self.prices.fork.seconds(),
                steal: self.prices.steal.seconds(),
                wake: self.prices.wake.seconds(),
                break_even: grain.break_even.seconds(),
                fine: grain.fine.seconds(),
            },
            predictions: rows(&self.prediction),
            least_replayed: self.prediction.least.seconds(),
            span_lengthened: self.prediction.lengthened.seconds(),
            what_if: self.changed.as_ref().map(|(what, prediction)| {
                let (change, value) = match *what {
                    WhatIf::Faster(_, factor) => ("faster", Some(factor)),
                    WhatIf::Serial(_) => ("serial", None),
                    WhatIf::CutOff(_, least) => ("cut-off", Some(least.seconds())),
                };
                WhatIfAnswer {
                    site: what.site().0,
                    change,
                    value,
                    predictions: rows(prediction),
                }
            }),
            sites: self
                .analysis
                .sites
                .iter()
                .map(|site| self.site(site))
                .collect(),
            critical_path: self.path(),
        }
    }

    fn site(&self, site: &SiteFigures) -> SiteAnswer {
        SiteAnswer {
            site: site.site.0,
            call: kind(site.kind),
            place: place(&self.profile, site.site),
            work: site.work.seconds(),
            share_of_work: site.share_of_work,
            own_work: site.own.seconds(),
            span: site.span.seconds(),
            burdened_span: site.burdened_span.seconds(),
            parallelism: site.parallelism(),
            occurrences: site.outermost,
            forks: self.has_site_counts.then_some(site.forks),
            steals: self.has_site_counts.then_some(site.steals),
            mean_task: site.mean_task.map(Duration::seconds),
            mean_grain: site.mean_grain.seconds(),
            on_critical_path: site.on_path.seconds(),
            share_of_critical_path: site.share_of_path,
        }
    }

    fn path(&self) -> Vec<OnPathAnswer> {
        let path = &self.analysis.critical_path;
        let serial = OnPathAnswer {
            site: None,
            time: path.serial.seconds(),
            share: path.serial.seconds() / path.length.seconds().max(f64::MIN_POSITIVE),
            passes: None,
        };
        let sites = path.sites.iter().map(|on_path| OnPathAnswer {
            site: Some(on_path.site.0),
            time: on_path.time.seconds(),
            share: on_path.share,
            passes: Some(on_path.passes),
        });
        std::iter::once(serial).chain(sites).collect()
    }
}

fn rows(prediction: &Prediction) -> Vec<Row> {
    let rows = prediction.rows.iter();
    rows.map(|row| Row {
        processors: row.processors,
        time: row.time.seconds(),
        speed_up: row.speed_up,
        efficiency: row.efficiency,
        least: row.least.seconds(),
        bound: row.bound.seconds(),
        steals: row.steals,
        hand_overs: row.hand_overs,
    })
    .collect()
}
