//! The shards of a sweep in a folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use filch_experiments::parallel;
use filch_experiments::sweep::{Plan, Row, Shard};

use super::identity::Identity;
use super::journal::{Contents, EXTENSION};
use crate::failure::Failure;
use crate::folder::shown;

/// All shards of one sweep, each finished and whole.
pub(super) struct Shards {
    pub(super) identity: Identity,
    files: Vec<Found>,
}

/// A journal with a head.
struct Found {
    path: PathBuf,
    bytes: Vec<u8>,
    contents: Contents,
    shard: Shard,
}

/// The most complaints: a line each.
const MOST_LINES: usize = 40;

/// Reads all journals in `folder` and in the folders in it.
///
/// # Errors
///
/// If they are not all shards of one sweep: one line for each that is damaged, unfinished, foreign,
/// double or missing.
pub(super) fn read(folder: &Path) -> Result<Shards, Failure> {
    let paths = journals(folder).map_err(|error| {
        Failure::usage(format!(
            "cannot read the folder '{}': {error}",
            shown(folder)
        ))
    })?;
    if paths.is_empty() {
        return Err(Failure::usage(format!(
            "there are no shards in '{}': 'filch sweep FILE --shard K/N --out DIR' writes them",
            shown(folder)
        )));
    }
    let read = parallel::map(paths.len(), parallel::threads(), |at| Found::at(&paths[at]));
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for (path, read) in paths.iter().zip(read) {
        match read {
            Ok(journal) => found.push(journal),
            Err(problem) => problems.push(format!("'{}' {problem}", shown(path))),
        }
    }
    let Some((identity, of)) = most_common(&found) else {
        return Err(refuse(folder, &problems));
    };
    let mut places: BTreeMap<u64, String> = BTreeMap::new();
    let mut files = Vec::new();
    for journal in found {
        let (shard, path) = (journal.shard, shown(&journal.path));
        let foreign = journal.contents.identity.differs(&identity).or_else(|| {
            let other = shard.of() != of;
            other.then(|| format!("is shard {shard} of another cut: the others are of {of}"))
        });
        let problem = match (foreign, places.get(&shard.number())) {
            (Some(how), _) => Some(how),
            (None, Some(first)) => Some(format!("is shard {shard} again, after '{first}'")),
            (None, None) => {
                places.insert(shard.number(), path.clone());
                journal.problem()
            }
        };
        match problem {
            Some(problem) => problems.push(format!("'{path}' {problem}")),
            None => files.push(journal),
        }
    }
    for number in (1..=of).filter(|number| !places.contains_key(number)) {
        problems.push(format!(
            "shard {number}/{of} is missing: run 'filch sweep FILE --shard {number}/{of}'"
        ));
    }
    if problems.is_empty() {
        Ok(Shards { identity, files })
    } else {
        Err(refuse(folder, &problems))
    }
}

impl Shards {
    /// The rows of all shards, of each in order.
    pub(super) fn rows(self, plan: &Plan) -> Result<Vec<Row>, Failure> {
        let decoded = parallel::map(self.files.len(), parallel::threads(), |at| {
            let Found {
                bytes, contents, ..
            } = &self.files[at];
            let mut rows = contents.decode(bytes, plan)?;
            rows.sort_by_key(Row::key);
            Some(rows)
        });
        let mut rows = Vec::new();
        for (decoded, Found { path, .. }) in decoded.into_iter().zip(&self.files) {
            let other = || Failure::usage(format!("'{}' has rows of another model", shown(path)));
            rows.extend(decoded.ok_or_else(other)?);
        }
        Ok(rows)
    }
}

impl Found {
    /// Reads a journal, or says why it is none.
    fn at(path: &Path) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
        let contents = Contents::of(&bytes);
        let shard = contents.as_ref().and_then(|one| one.identity.shard());
        match (contents, shard) {
            (Some(contents), Some(shard)) => Ok(Self {
                path: path.to_path_buf(),
                bytes,
                contents,
                shard,
            }),
            _ => Err("is damaged at its head: remove it and run its shard again".to_owned()),
        }
    }

    /// Why it cannot be merged yet.
    fn problem(&self) -> Option<String> {
        let rows = self.contents.rows.len();
        let state = if self.contents.whole < self.bytes.len() {
            format!("is damaged after {rows} rows")
        } else if !self.contents.ended {
            format!("is not finished, with {rows} rows so far")
        } else {
            return None;
        };
        let shard = self.shard;
        Some(format!(
            "{state}: run shard {shard} again in the same folder"
        ))
    }
}

/// Every file with the name of a journal, in order.
fn journals(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        } else {
            paths.push(path);
        }
    }
    for folder in folders {
        for entry in fs::read_dir(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == EXTENSION));
    paths.sort();
    Ok(paths)
}

/// The sweep and the cut that most journals are of; the first of several.
fn most_common(found: &[Found]) -> Option<(Identity, u64)> {
    fn key(journal: &Found) -> (&str, u64, &str, u64) {
        let Identity {
            version,
            build,
            plan,
            ..
        } = &journal.contents.identity;
        (version, *build, plan, journal.shard.of())
    }
    let mut counts = HashMap::new();
    for journal in found {
        *counts.entry(key(journal)).or_insert(0usize) += 1;
    }
    let most = counts.values().copied().max()?;
    let first = found.iter().find(|journal| counts[&key(journal)] == most)?;
    Some((first.contents.identity.clone(), first.shard.of()))
}

/// One line for each problem; nothing is merged.
fn refuse(folder: &Path, problems: &[String]) -> Failure {
    let mut lines: Vec<String> = problems.iter().take(MOST_LINES).cloned().collect();
    if problems.len() > MOST_LINES {
        lines.push(format!("and {} more", problems.len() - MOST_LINES));
    }
    lines.push(format!("'{}' is not merged", shown(folder)));
    Failure::Lines(lines)
}
