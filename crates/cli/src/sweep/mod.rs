//! `filch sweep` and `filch merge`: a model on a grid of parameters, on any number of machines.
//!
//! `filch_experiments` plans, runs and orders rows, and `filch_report` makes the files of results.
//! Here is what is between them: the sweep file, the journal that survives a lost machine, and the
//! shards in a folder.
//!
//! | file | what it does |
//! |---|---|
//! | `file.rs`, `grid.rs` | reads a sweep file; every complaint has file, line and field |
//! | `identity.rs` | what two journals must share to be of one sweep |
//! | `record.rs`, `journal.rs` | rows on disk, each with a checksum |
//! | `keeper.rs`, `time_left.rs` | keeps rows as they are made; the bar and its estimate |
//! | `shards.rs` | the journals in a folder, and what is wrong with them |
//! | `results.rs`, `durable.rs` | the files of results, whole or not at all |

mod durable;
mod file;
mod grid;
mod identity;
mod journal;
mod keeper;
mod record;
mod results;
mod shards;
mod time_left;

use std::path::Path;

use filch_experiments::sweep::{Plan, Shard, Table, Unfinished, Value};
use serde::Serialize;

use crate::args::{MergeArgs, SweepArgs};
use crate::failure::Failure;
use crate::folder::{Folder, shown};
use crate::{memory, output};
use identity::Identity;
use journal::{Journal, Opened};
use keeper::JournalKeeper;

/// What a sweep or a merge came to.
#[derive(Serialize)]
struct Summary {
    model: &'static str,
    /// The SHA-256 of the plan's canonical form.
    plan: String,
    shard: String,
    points: u64,
    rows: usize,
    /// Rows that were made now and not found in the folder.
    computed: usize,
    /// Points whose interval is not as narrow as was asked for; absent without a precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<usize>,
    files: Vec<String>,
}

pub(crate) fn run(options: &SweepArgs) -> Result<(), Failure> {
    let plan = file::read(options)?;
    let at_once = options.threads.get().get() as u64;
    let instead = "use smaller systems, or fewer --threads";
    memory::check(plan.bytes().saturating_mul(at_once), instead)?;
    options.threads.choose()?;
    let folder = Folder::try_out("--out", &options.out)?;
    durable::make_folder(folder.path())?;

    let shard = options.shard;
    let identity = Identity::of(&plan, shard);
    let Opened { journal, rows } = Journal::open(folder.path(), &plan, &identity)?;
    let (points, before) = (plan.points_of(shard), rows.len());
    if before > 0 && !options.json && !journal.is_ended() {
        keeper::go_on(before);
    }
    let keeper = JournalKeeper::new(&plan, &journal, &rows);
    let made = plan.complete(&points, rows, &keeper);
    keeper.finish()?;
    let rows = made.map_err(|unfinished| match unfinished {
        Unfinished::Stopped => Failure::run("the sweep was stopped"),
        Unfinished::Failed { .. } => Failure::run(unfinished.to_string()),
    })?;
    journal.end(rows.len())?;

    let mut summary = Summary {
        model: plan.model().name,
        plan: identity.plan_hash(),
        shard: shard.to_string(),
        points: points.len() as u64,
        rows: rows.len(),
        computed: rows.len() - before,
        wide: plan.precision().map(|_| plan.wide(&rows)),
        files: Vec::new(),
    };
    if shard == Shard::WHOLE {
        let table = Table::of(&plan, rows).map_err(Failure::run)?;
        summary.files = results::write(folder.path(), &table, &identity)?;
    } else {
        summary.files = vec![shown(journal.path())];
    }
    print(&summary, options.json)
}

/// The plan that the arguments come to.
pub(crate) fn plan(options: &SweepArgs) -> Result<Plan, Failure> {
    file::read(options)
}

/// The plan of a sweep file in its canonical form.
pub(crate) fn canonical_plan(text: &str) -> Result<Plan, Failure> {
    file::canonical(text)
}

/// The values of a range in a sweep file.
pub(crate) fn range(from: &Value, to: &Value, step: &Value) -> Result<Vec<Value>, String> {
    grid::numbers(from, to, step)
}

/// The files of results of a whole sweep, names and contents.
pub(crate) fn contents(table: &Table<'_>) -> [(&'static str, Vec<u8>); 3] {
    results::contents(table, &Identity::of(table.plan(), Shard::WHOLE))
}

pub(crate) fn merge(options: &MergeArgs) -> Result<(), Failure> {
    options.threads.choose()?;
    let shards = shards::read(&options.folder)?;
    let version = env!("CARGO_PKG_VERSION");
    if shards.identity.version != version {
        return Err(Failure::usage(format!(
            "the shards in '{}' were made by filch {}: merge them with it, and not with {version}",
            shown(&options.folder),
            shards.identity.version
        )));
    }
    let plan = file::plan_of(&shards.identity)?;
    let identity = shards.identity.clone();
    let rows = shards.rows(&plan)?;
    let table = Table::of(&plan, rows)
        .map_err(|problem| Failure::usage(format!("{}: {problem}", shown(&options.folder))))?;
    let out: &Path = options.out.as_deref().unwrap_or(&options.folder);
    let folder = Folder::try_out("--out", out)?;
    durable::make_folder(folder.path())?;
    let summary = Summary {
        model: plan.model().name,
        plan: identity.plan_hash(),
        shard: Shard::WHOLE.to_string(),
        points: plan.points(),
        rows: table.rows().len(),
        computed: 0,
        wide: plan.precision().map(|_| plan.wide(table.rows())),
        files: results::write(folder.path(), &table, &identity)?,
    };
    print(&summary, options.json)
}

fn print(summary: &Summary, json: bool) -> Result<(), Failure> {
    if json {
        return output::print_json(summary);
    }
    let mut text = format!(
        "{}: {}, {} ({} computed now)\n",
        summary.model,
        output::count(summary.points, "point"),
        output::count(summary.rows as u64, "row"),
        summary.computed,
    );
    if let Some(wide @ 1..) = summary.wide {
        text += &format!(
            "{} of {} points did not become as precise as was asked for\n",
            wide, summary.points
        );
    }
    for file in &summary.files {
        text += &format!("  {}\n", output::printable(file));
    }
    output::print(&text)
}
