//! `filch dag export`: a computation as a file.

use filch_workload::dag::Computation;

use super::source::Loaded;
use crate::args::{DagExport, Source};
use crate::failure::Failure;
use crate::output;

/// A file of this many instructions has about a gigabyte.
const MOST: u64 = 10_000_000;

pub(super) fn run(options: &DagExport) -> Result<(), Failure> {
    let loaded = Loaded::from(&options.source)?;
    if loaded.measures.work > MOST {
        return Err(Failure::usage(format!(
            "{} has {} instructions, and a file is written for at most {MOST}: choose a smaller one",
            loaded.name, loaded.measures.work
        )));
    }
    match (&options.source, &loaded.computation) {
        (_, Computation::Explicit(dag)) => output::print(&dag.to_json()),
        (Source::Family(family), _) => output::print(&family.dag().to_json()),
        (Source::File(_), _) => unreachable!("a file is written down"),
    }
}
