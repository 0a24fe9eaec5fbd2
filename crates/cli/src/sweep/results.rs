//! The files of results.

use std::path::Path;
use std::thread;

use filch_experiments::parallel;
use filch_experiments::sweep::{ColumnKind, Plan, Table};
use filch_report::sweep;
use serde::Serialize;

use super::durable;
use super::identity::Identity;
use crate::failure::Failure;
use crate::folder::shown;
use crate::output;

/// What is needed to repeat and to read the results.
#[derive(Serialize)]
struct Manifest<'a> {
    format: u32,
    version: &'a str,
    /// The plan in its canonical form: a sweep file.
    plan: &'a str,
    plan_sha256: String,
    points: u64,
    rows: usize,
    columns: Vec<ColumnJson>,
}

#[derive(Serialize)]
struct ColumnJson {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'static [&'static str]>,
    meaning: &'static str,
}

/// Rows of one piece of the CSV file, which is made on all cores.
const PIECE: usize = 1 << 15;

/// Writes the results of a whole sweep and returns the paths of the files.
pub(super) fn write(
    folder: &Path,
    table: &Table<'_>,
    identity: &Identity,
) -> Result<Vec<String>, Failure> {
    let columns = table.columns();
    let count = table.rows().len();
    let version = &identity.version;
    thread::scope(|scope| {
        let parquet = scope.spawn(|| {
            let content = sweep::parquet(table, &columns, version);
            durable::write(folder, "rows.parquet", &[content])
        });
        let pieces = parallel::map(count.div_ceil(PIECE), parallel::threads(), |piece| {
            let from = piece * PIECE;
            sweep::csv(&columns, from..count.min(from + PIECE))
        });
        let csv = durable::write(folder, "rows.csv", &pieces);
        let parquet = parquet.join().expect("it does not panic");
        parquet.and(csv)
    })?;
    let manifest = output::json(&manifest(table.plan(), count, identity));
    // Last: with it, the results are there.
    durable::write(folder, "manifest.json", &[manifest])?;
    let names = ["rows.parquet", "rows.csv", "manifest.json"];
    Ok(names.map(|name| shown(&folder.join(name))).to_vec())
}

/// The files of results of a whole sweep, names and contents: those that [`write`] writes.
pub(super) fn contents(table: &Table<'_>, identity: &Identity) -> [(&'static str, Vec<u8>); 3] {
    let columns = table.columns();
    let count = table.rows().len();
    let parquet = sweep::parquet(table, &columns, &identity.version);
    let csv = sweep::csv(&columns, 0..count);
    let manifest = output::json(&manifest(table.plan(), count, identity));
    [
        ("rows.parquet", parquet),
        ("rows.csv", csv.into_bytes()),
        ("manifest.json", manifest.into_bytes()),
    ]
}

fn manifest<'a>(plan: &Plan, rows: usize, identity: &'a Identity) -> Manifest<'a> {
    let columns = plan.columns().into_iter().map(|column| ColumnJson {
        name: column.name,
        kind: column.kind.name(),
        words: match column.kind {
            ColumnKind::Word(words) => Some(words),
            _ => None,
        },
        meaning: column.meaning,
    });
    Manifest {
        format: 1,
        version: &identity.version,
        plan: &identity.plan,
        plan_sha256: identity.plan_hash(),
        points: plan.points(),
        rows,
        columns: columns.collect(),
    }
}
