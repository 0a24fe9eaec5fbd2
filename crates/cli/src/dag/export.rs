//! `filch dag export`: a computation as a file.

use filch_workload::dag::Computation;

use super::source::Loaded;
use crate::args::DagExportArgs;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::{memory, output};

/// A file of this many instructions has about a gigabyte.
const MOST: u64 = 10_000_000;
/// Bytes of memory that an instruction takes on its way into the file.
const WRITING: u64 = 600;

pub(super) fn run(options: &DagExportArgs) -> Result<(), Failure> {
    let loaded = Loaded::from(options.source.family, options.source.file.as_deref())?;
    if loaded.measures.work > MOST {
        return Err(Failure::usage(format!(
            "{} has {} instructions, and a file is written for at most {MOST}: choose a smaller one",
            loaded.name, loaded.measures.work
        )));
    }
    memory::check(WRITING * loaded.measures.work, "choose a smaller one")?;
    let bar = Bar::busy(format!("writing {}", output::printable(&loaded.name)));
    let text = match (options.source.family, &loaded.computation) {
        (_, Computation::Explicit(dag)) => dag.to_json(),
        (Some(family), _) => family.dag().to_json(),
        (None, _) => unreachable!("a file is written down"),
    };
    let printed = output::print(&text);
    bar.finish();
    printed
}
