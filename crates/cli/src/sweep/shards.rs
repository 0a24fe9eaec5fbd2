//! The shards of a sweep in a folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use filch_experiments::parallel;
use filch_experiments::sweep::{Plan, Row, Shard};

use super::identity::Identity;
use super::journal::{Contents, EXTENSION};
use super::record;
use crate::failure::Failure;
use crate::folder::shown;

/// All shards of one sweep, each finished and whole.
pub(super) struct Shards {
    pub(super) identity: Identity,
    files: Vec<(PathBuf, Vec<u8>)>,
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
    let mut problems = Vec::new();
    let mut found: Vec<(PathBuf, Vec<u8>, Identity, Shard)> = Vec::new();
    for path in paths {
        match examine(&path) {
            Ok((bytes, identity, shard)) => found.push((path, bytes, identity, shard)),
            Err(problem) => problems.push(format!("'{}' {problem}", shown(&path))),
        }
    }
    let Some(expected) = most_common(&found) else {
        return Err(refuse(folder, &problems));
    };
    let of = expected.1;
    let mut places: BTreeMap<u64, PathBuf> = BTreeMap::new();
    let mut files = Vec::new();
    for (path, bytes, identity, shard) in found {
        let foreign = identity.differs(&expected.0).or_else(|| {
            let other = shard.of() != of;
            other.then(|| format!("is shard {shard} of another cut: the others are of {of}"))
        });
        if let Some(how) = foreign {
            problems.push(format!("'{}' {how}", shown(&path)));
        } else if let Some(first) = places.get(&shard.number()) {
            let (path, first) = (shown(&path), shown(first));
            problems.push(format!("'{path}' is shard {shard} again, after '{first}'"));
        } else {
            places.insert(shard.number(), path.clone());
            files.push((path, bytes));
        }
    }
    for number in (1..=of).filter(|number| !places.contains_key(number)) {
        problems.push(format!(
            "shard {number}/{of} is missing: run 'filch sweep FILE --shard {number}/{of}'"
        ));
    }
    if problems.is_empty() {
        let identity = expected.0;
        Ok(Shards { identity, files })
    } else {
        Err(refuse(folder, &problems))
    }
}

impl Shards {
    /// The rows of all shards, in no order.
    pub(super) fn rows(&self, plan: &Plan, threads: NonZero<usize>) -> Result<Vec<Row>, Failure> {
        let columns = plan.model().results;
        let decoded = parallel::map(self.files.len(), threads, |at| {
            let contents = Contents::of(&self.files[at].1)?;
            let rows = contents.rows.iter();
            rows.map(|row| record::decode(row, columns))
                .collect::<Option<Vec<Row>>>()
        });
        let mut rows = Vec::new();
        for (decoded, (path, _)) in decoded.into_iter().zip(&self.files) {
            let other = || Failure::usage(format!("'{}' has rows of another model", shown(path)));
            rows.extend(decoded.ok_or_else(other)?);
        }
        Ok(rows)
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

/// The content of a journal that is whole and finished, or what is wrong with it.
fn examine(path: &Path) -> Result<(Vec<u8>, Identity, Shard), String> {
    let bytes = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    let again = "run its shard again in the same folder";
    let contents = Contents::of(&bytes);
    let contents = contents.ok_or("is damaged at its head: remove it and run its shard again")?;
    let shard = contents.identity.shard();
    let shard = shard.ok_or("is damaged at its head: remove it and run its shard again")?;
    if contents.whole < bytes.len() {
        return Err(format!(
            "is damaged after {} rows: {again}",
            contents.rows.len()
        ));
    }
    if !contents.ended {
        let rows = contents.rows.len();
        return Err(format!("is not finished, with {rows} rows so far: {again}"));
    }
    let identity = contents.identity;
    Ok((bytes, identity, shard))
}

/// The sweep and the cut that most journals are of; the first of several.
fn most_common(found: &[(PathBuf, Vec<u8>, Identity, Shard)]) -> Option<(Identity, u64)> {
    let key = |identity: &Identity, shard: &Shard| {
        let Identity {
            version,
            build,
            plan,
            ..
        } = identity;
        (version.clone(), *build, plan.clone(), shard.of())
    };
    let mut counts = HashMap::new();
    for (_, _, identity, shard) in found {
        *counts.entry(key(identity, shard)).or_insert(0usize) += 1;
    }
    let most = counts.values().copied().max()?;
    let common = |identity: &Identity, shard: &Shard| counts[&key(identity, shard)] == most;
    let mut all = found.iter();
    all.find(|(_, _, identity, shard)| common(identity, shard))
        .map(|(_, _, identity, shard)| (identity.clone(), shard.of()))
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
