//! `filch reproduce`: everything the papers claim, measured.
//!
//! Each chapter is a file below [`chapters`] and a line in its list: a function from a [`Setting`]
//! to values ([`Chapter`]). `filch_report` turns the values into files and computes nothing. They are
//! written anew after every chapter, so that whoever interrupts a run keeps what is done.

mod chapter;
mod chapters;
mod schedules;

use std::io::{self, Write as _};
use std::time::Duration;

use filch_report::Report;

use crate::args::Reproduce;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Progress;
use chapter::{Chapter, Setting};
use chapters::CHAPTERS;

pub(crate) fn run(options: &Reproduce) -> Result<(), Failure> {
    let folder = Folder::try_out("--out", &options.out)?;
    let mut report = empty(options);
    for (at, chapter) in CHAPTERS.iter().enumerate() {
        let label = format!("{}/{} {}", at + 1, CHAPTERS.len(), chapter.title);
        let progress = Progress::of(label.clone());
        let setting = Setting::new(options.scale, options.seed, &progress);
        let done = (chapter.write)(&setting);
        let took = progress.finish();
        if !options.json {
            announce(&label, &done, took);
        }
        report.chapters.push(done);
        report.missing.remove(0);
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

/// A report without chapters yet.
fn empty(options: &Reproduce) -> Report {
    Report {
        version: env!("CARGO_PKG_VERSION"),
        scale: options.scale.name(),
        seed: options.seed.get(),
        command: format!(
            "filch reproduce --{} --seed {}",
            options.scale.name(),
            options.seed
        ),
        missing: CHAPTERS.iter().map(|chapter| chapter.title).collect(),
        chapters: Vec::new(),
        schedules: schedules::record(options.seed),
    }
}

/// Puts the report as it is now in the place of the one before.
fn keep(folder: &Folder, report: &Report) -> Result<(), Failure> {
    let files = filch_report::files(report);
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| (&**name, &**content))
        .collect();
    folder.keep(&files)
}

/// One line on standard error when a chapter is done. Nobody has to listen.
fn announce(label: &str, chapter: &Chapter, took: Duration) {
    let (holding, all) = chapter.count();
    let seconds = took.as_secs_f64();
    let _ = writeln!(
        io::stderr(),
        "{label}: {holding} of {all} claims hold, {seconds:.1} s"
    );
}
