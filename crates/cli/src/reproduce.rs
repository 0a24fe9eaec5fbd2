//! `filch reproduce`: everything the papers claim, measured.
//!
//! `filch_experiments` makes the chapters and `filch_report` the files. All files are written again
//! after every chapter, so an interrupted run leaves the chapters that are done.

use std::io::{self, Write as _};
use std::time::Duration;

use filch_experiments::chapters::{self, CHAPTERS, Setting};
use filch_experiments::values::{Chapter, Report};

use crate::args::Reproduce;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Bar;

pub(crate) fn run(options: &Reproduce) -> Result<(), Failure> {
    let folder = Folder::try_out("--out", &options.out)?;
    let mut report = chapters::begin(options.scale, options.seed);
    for (at, chapter) in CHAPTERS.iter().enumerate() {
        let label = format!("{}/{} {}", at + 1, CHAPTERS.len(), chapter.title);
        let bar = Bar::of(label.clone());
        let setting = Setting::new(options.scale, options.seed, &bar);
        let done = (chapter.write)(&setting);
        let took = bar.finish();
        if !options.json {
            announce(&label, &done, took);
        }
        report.add(done);
        keep(&folder, &report)?;
    }
    if options.json {
        return output::print(&filch_report::json(&report));
    }
    let (holding, all) = report.count();
    output::print(&format!(
        "{holding} of {all} claims hold (seed {seed}). The report: {}\n",
        options.out.join(filch_report::PAGE).display(),
        seed = report.seed,
    ))
}

/// Replaces the files by those of the report as it is now.
fn keep(folder: &Folder, report: &Report) -> Result<(), Failure> {
    let files = filch_report::files(report);
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| (&**name, &**content))
        .collect();
    folder.keep(&files)
}

/// One line on standard error when a chapter is done. A closed standard error is no failure.
fn announce(label: &str, chapter: &Chapter, took: Duration) {
    let (holding, all) = chapter.count();
    let seconds = took.as_secs_f64();
    let _ = writeln!(
        io::stderr(),
        "{label}: {holding} of {all} claims hold, {seconds:.1} s"
    );
}
