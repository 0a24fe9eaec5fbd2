//! `filch reproduce`: everything the papers claim, measured.
//!
//! Each chapter is a file below [`chapters`] and a line in its list: a function from a [`Setting`]
//! to values ([`Chapter`]). Printers turn the values into Markdown and JSON; they compute nothing.

mod chapter;
mod chapters;
mod csv;
mod markdown;

use std::io::{self, Write as _};
use std::time::Duration;

use serde::Serialize;

use crate::args::{Reproduce, Scale};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Progress;
use chapter::{Chapter, Plot, Setting};
use chapters::CHAPTERS;

/// All that was found, as it is written to JSON.
#[derive(Debug, Serialize)]
struct Report {
    /// The version of filch that ran.
    version: &'static str,
    scale: Scale,
    seed: u64,
    /// What to type to get the same report.
    command: String,
    chapters: Vec<Chapter>,
}

pub(crate) fn run(options: &Reproduce) -> Result<(), Failure> {
    let folder = Folder::try_out("--out", &options.out)?;
    let report = report(options);
    let (markdown, json) = (markdown::page(&report), output::json(&report));
    let plots: Vec<_> = report.plots().map(csv::file).collect();
    let mut files = vec![("report.md", &*markdown), ("report.json", &*json)];
    files.extend(plots.iter().map(|(name, table)| (&**name, &**table)));
    folder.keep(&files)?;
    if options.json {
        return output::print(&json);
    }
    let (holding, all) = report.count();
    output::print(&format!(
        "{holding} of {all} claims hold (seed {seed}). The report: {}\n",
        options.out.join("report.md").display(),
        seed = report.seed,
    ))
}

fn report(options: &Reproduce) -> Report {
    let chapters = CHAPTERS.iter().enumerate().map(|(at, chapter)| {
        let label = format!("{}/{} {}", at + 1, CHAPTERS.len(), chapter.title);
        let progress = Progress::of(label.clone());
        let setting = Setting::new(options.scale, options.seed, &progress);
        let done = (chapter.write)(&setting);
        let took = progress.finish();
        if !options.json {
            announce(&label, &done, took);
        }
        done
    });
    let chapters = chapters.collect();
    Report {
        version: env!("CARGO_PKG_VERSION"),
        scale: options.scale,
        seed: options.seed.get(),
        command: format!(
            "filch reproduce --{} --seed {}",
            options.scale.name(),
            options.seed
        ),
        chapters,
    }
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

impl Report {
    fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.chapters.iter().flat_map(|chapter| &chapter.plots)
    }

    /// How many claims hold, and how many there are.
    fn count(&self) -> (usize, usize) {
        let counts = self.chapters.iter().map(Chapter::count);
        counts.fold((0, 0), |sum, chapter| {
            (sum.0 + chapter.0, sum.1 + chapter.1)
        })
    }
}
