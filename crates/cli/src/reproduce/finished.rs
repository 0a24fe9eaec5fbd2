//! The chapters that are finished, kept so that a later run can go on from there.
//!
//! They are in one file beside the report, which is replaced whole after every chapter. It names
//! the version, the build, the scale and the seed; a file of others is refused. Numbers are kept as
//! their bits, so that a chapter that is read equals the one that was written.

use std::path::Path;

use filch_experiments::chapters::{CHAPTERS, Scale};
use filch_experiments::values::Chapter;
use filch_random::Seed;
use serde_json::{Value, json};

use super::MOST_BYTES;
use super::bits;
use crate::build_number::build_number;
use crate::failure::Failure;
use crate::{input, output};

/// The name of the file.
pub(super) const FILE: &str = "finished.json";

/// Finished chapters, in the order of the report, and the seconds that each took, times
/// its threads.
#[derive(Debug, Default)]
pub(super) struct Finished {
    pub(super) chapters: Vec<(Chapter, f64)>,
}

impl Finished {
    /// What an earlier run with the same scale and seed has left in `folder`; nothing if there is
    /// no such file.
    pub(super) fn read(folder: &Path, scale: Scale, seed: Seed) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(Self::default());
        }
        let refuse = |what: &str| {
            Failure::usage(format!(
                "--resume: '{}' {what}: leave out --resume to begin anew, or name another --out",
                output::printable(&path.to_string_lossy())
            ))
        };
        let text = input::read(&path, MOST_BYTES).map_err(|what| refuse(&what))?;
        let value: Value =
            serde_json::from_str(&text).map_err(|_| refuse("is not what a run has left"))?;
        for (key, here) in identity(scale, seed).as_object().into_iter().flatten() {
            if value[key] != *here {
                let there = value[key].to_string();
                let there = output::printable(&there);
                return Err(refuse(&format!(
                    "is of {key} {there}, and this run of {here}"
                )));
            }
        }
        let entries = value["chapters"].as_array();
        let chapters: Option<Vec<(Chapter, f64)>> = entries
            .into_iter()
            .flatten()
            .zip(CHAPTERS)
            .map(|(entry, writer)| {
                let chapter = bits::chapter(&entry["chapter"], writer.title)?;
                Some((chapter, bits::number(&entry["seconds"])?))
            })
            .collect();
        match (entries, chapters) {
            (Some(entries), Some(chapters)) if entries.len() == chapters.len() => {
                Ok(Self { chapters })
            }
            _ => Err(refuse("is not what a run has left")),
        }
    }

    /// The content of the file.
    pub(super) fn text(&self, scale: Scale, seed: Seed) -> String {
        let mut value = identity(scale, seed);
        let entries = self.chapters.iter().map(|(chapter, seconds)| {
            json!({"seconds": seconds.to_bits(), "chapter": bits::written(chapter)})
        });
        value["chapters"] = entries.collect();
        format!("{value}\n")
    }
}

/// What two runs must share for one to go on with the chapters of the other.
fn identity(scale: Scale, seed: Seed) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "build": build_number(),
        "scale": scale.name(),
        "seed": seed.get(),
    })
}
