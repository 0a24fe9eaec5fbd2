//! `filch reproduce`: everything the papers claim, measured.
//!
//! Each chapter is a file below [`chapters`] and a line in its list: a function from a [`Setting`]
//! to values ([`Chapter`]). Printers turn the values into Markdown and JSON; they compute nothing.

mod chapter;
mod chapters;
mod markdown;
mod progress;

use serde::Serialize;

use crate::args::{Reproduce, Scale};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use chapter::{Chapter, Setting};
use chapters::CHAPTERS;
use progress::Progress;

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
    folder.keep(&[("report.md", &markdown), ("report.json", &json)])?;
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
        let progress = Progress::of_chapter(at + 1, CHAPTERS.len(), chapter.title);
        let setting = Setting::new(options.scale, options.seed, &progress);
        let done = (chapter.write)(&setting);
        progress.finish(&done, options.json);
        done
    });
    let chapters = chapters.collect();
    Report {
        version: env!("CARGO_PKG_VERSION"),
        scale: options.scale,
        seed: options.seed.get(),
        command: format!(
            "filch reproduce --{} --seed {}",
            options.scale.pick("quick", "full"),
            options.seed
        ),
        chapters,
    }
}

impl Report {
    /// How many claims hold, and how many there are.
    fn count(&self) -> (usize, usize) {
        let counts = self.chapters.iter().map(Chapter::count);
        counts.fold((0, 0), |sum, chapter| {
            (sum.0 + chapter.0, sum.1 + chapter.1)
        })
    }
}
