//! `filch reproduce`: everything the papers claim, measured.
//!
//! `filch_experiments` makes the chapters and `filch_report` the files. All files are written again
//! after every chapter, so an interrupted run leaves the chapters that are done, and `--resume`
//! goes on from there.

mod bits;
mod finished;

use std::io::{self, Write as _};
use std::time::Duration;

use filch_experiments::chapters::{self, CHAPTERS, Setting};
use filch_experiments::values::{Chapter, Report};
use serde_json::Value;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::progress::Bar;
use crate::{input, output};
use finished::Finished;

/// A report is smaller than this.
const MOST_BYTES: u64 = 256 << 20;

pub(crate) fn run(options: &ReproduceArgs) -> Result<(), Failure> {
    options.threads.choose()?;
    let folder = Folder::try_out("--out", &options.out)?;
    let (scale, seed) = (options.scale(), options.simulation.seed);
    let mut finished = if options.resume {
        Finished::read(folder.path(), scale, seed)?
    } else {
        Finished::default()
    };
    let mut report = chapters::begin(scale, seed);
    for chapter in &finished.chapters {
        report.add(chapter.clone());
    }
    for (at, chapter) in CHAPTERS.iter().enumerate().skip(finished.chapters.len()) {
        let label = format!("{}/{} {}", at + 1, CHAPTERS.len(), chapter.title);
        let bar = Bar::of(label.clone());
        let setting = Setting::new(scale, seed, &bar);
        let done = (chapter.write)(&setting);
        let took = bar.finish();
        if !options.simulation.json {
            announce(&label, &done, took);
        }
        report.add(done.clone());
        finished.chapters.push(done);
        keep(&folder, &report, &finished.text(scale, seed))?;
    }
    if options.simulation.json {
        return output::print(&filch_report::json(&report));
    }
    let count = report.count();
    output::print(&format!(
        "{count} (seed {seed}). The report: {}\n",
        output::printable(&options.out.join(filch_report::PAGE).to_string_lossy()),
        seed = report.seed,
    ))
}

/// Replaces the files by those of the report as it is now. No file of an earlier report stays.
fn keep(folder: &Folder, report: &Report, finished: &str) -> Result<(), Failure> {
    let files = filch_report::files(report);
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| (&**name, &**content))
        .chain([(finished::FILE, finished)])
        .collect();
    let stale: Vec<String> = previous(folder)
        .into_iter()
        .filter(|name| files.iter().all(|(new, _)| new != name))
        .collect();
    folder.keep(&files, &stale)
}

/// The files of plots that the report in the folder has, if there is one: no others are ours to
/// remove.
fn previous(folder: &Folder) -> Vec<String> {
    let json = input::read(&folder.path().join("report.json"), MOST_BYTES).ok();
    let report: Option<Value> = json.and_then(|text| serde_json::from_str(&text).ok());
    let chapters = report
        .as_ref()
        .and_then(|report| report["chapters"].as_array());
    let plots = chapters.into_iter().flatten();
    let plots = plots
        .filter_map(|chapter| chapter["plots"].as_array())
        .flatten();
    let ids = plots.filter_map(|plot| plot["id"].as_str());
    let is_plain = |id: &&str| {
        !id.is_empty()
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    ids.filter(is_plain).map(|id| format!("{id}.csv")).collect()
}

/// One line on standard error when a chapter is done. A closed standard error is no failure.
fn announce(label: &str, chapter: &Chapter, took: Duration) {
    let count = chapter.count();
    let seconds = took.as_secs_f64();
    let _ = writeln!(io::stderr(), "{label}: {count}; {seconds:.1} s");
}
