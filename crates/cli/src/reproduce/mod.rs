//! `filch reproduce`: everything the papers claim, measured.
//!
//! `filch_experiments` makes the chapters and `filch_report` the files. All files are written again
//! after every chapter, so an interrupted run leaves the chapters that are done, and `--resume`
//! goes on from there.

mod bits;
mod estimate;
mod finished;

use std::io::{self, Write as _};
use std::time::Duration;

use filch_experiments::chapters::{self, CHAPTERS, Scale, Setting};
use filch_experiments::parallel;
use filch_experiments::values::{Chapter, Report};
use serde_json::Value;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::progress::Bar;
use crate::{input, output};
use estimate::Estimate;
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
    let threads = parallel::threads().get();
    let tells = !options.simulation.json;
    let mut estimate = Estimate::default();
    let mut report = chapters::begin(scale, seed);
    for (at, (chapter, seconds)) in finished.chapters.iter().enumerate() {
        estimate.learn(at, *seconds);
        report.add(chapter.clone());
    }
    let before = finished.chapters.len();
    if tells && before > 0 && before < CHAPTERS.len() {
        go_on(before);
    }
    for (at, chapter) in CHAPTERS.iter().enumerate().skip(before) {
        if tells && scale == Scale::Full {
            foretell(at, estimate.left(at, threads), threads);
        }
        let label = format!("{}/{} {}", at + 1, CHAPTERS.len(), chapter.title);
        let bar = Bar::of(label.clone());
        let setting = Setting::new(scale, seed, &bar);
        let done = (chapter.write)(&setting);
        let took = bar.finish();
        if tells {
            announce(&label, &done, took);
        }
        let seconds = took.as_secs_f64() * threads as f64;
        estimate.learn(at, seconds);
        report.add(done.clone());
        finished.chapters.push((done, seconds));
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

/// One line on standard error when a run goes on where an earlier one stopped.
fn go_on(finished: usize) {
    let all = CHAPTERS.len();
    let _ = writeln!(
        io::stderr(),
        "goes on after {finished} of {all} chapters, which are finished"
    );
}

/// One line on standard error about the time that is left.
fn foretell(at: usize, left: Duration, threads: usize) {
    let (of, left) = (CHAPTERS.len() - at, estimate::words(left));
    let chapters = if of == 1 { "chapter" } else { "chapters" };
    let _ = writeln!(
        io::stderr(),
        "{of} {chapters} to go: {left} with --threads {threads}"
    );
}

/// One line on standard error when a chapter is done. A closed standard error is no failure.
fn announce(label: &str, chapter: &Chapter, took: Duration) {
    let count = chapter.count();
    let seconds = took.as_secs_f64();
    let _ = writeln!(io::stderr(), "{label}: {count}; {seconds:.1} s");
}
