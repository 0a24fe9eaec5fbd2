//! The profile of a program, by the build that records.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use filch_experiments::profile::only_section;
use filch_profile::Profile;

use crate::programs::{Program, Taken};

/// What was recorded of a run, and what its leaves said that they took.
pub(super) struct Recorded {
    pub(super) profile: Profile,
    pub(super) known: Option<Taken>,
}

/// Runs a program twice on so many threads and reads what was recorded of the second run. Plain
/// runs are also measured on a pool that has run the program.
pub(super) fn record(
    recording: &Path,
    program: &Program,
    threads: usize,
) -> Result<Recorded, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("profile");
    let output = Command::new(recording)
        .args(["run", program.name, &threads.to_string()])
        .env("FILCH_PROFILE", &file)
        .output();
    let output = output.map_err(|error| format!("{}: {error}", recording.display()))?;
    if !output.status.success() {
        return Err(format!("{} ended with {}", program.name, output.status));
    }
    let profile = Profile::read(&file).map_err(|error| format!("{}: {error}", program.name))?;
    let second = only_section(&profile, 1);
    Ok(Recorded {
        profile: second.ok_or_else(|| format!("{}: there is no second run", program.name))?,
        known: known(&output.stdout),
    })
}

/// Two numbers of nanoseconds, if they were printed.
fn known(printed: &[u8]) -> Option<Taken> {
    let text = std::str::from_utf8(printed).ok()?;
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    match numbers[..] {
        [work, span] => Some(Taken {
            work: Duration::from_nanos(work),
            span: Duration::from_nanos(span),
        }),
        _ => None,
    }
}
