//! `filch dag measure`: a computation in numbers.

use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use serde::Serialize;

use super::source::Loaded;
use crate::args::DagMeasureArgs;
use crate::failure::Failure;
use crate::output;

#[derive(Serialize)]
pub(crate) struct Measured {
    computation: String,
    threads: u64,
    instructions: u64,
    /// T1, which is the number of instructions, each of which takes a step.
    work: u64,
    span: u64,
    stack_depth: u64,
    strict: bool,
    fully_strict: bool,
    /// k, if the computation is k-strict.
    join_distance: Option<u64>,
    nd: u64,
    parallelism: f64,
    largest_frame: u64,
    most_edges_out: u64,
}

/// Measures the computation.
pub(crate) fn measured(loaded: &Loaded) -> Measured {
    let of = &loaded.measures;
    Measured {
        computation: loaded.name.clone(),
        threads: of.threads,
        instructions: of.work,
        work: of.work,
        span: of.span,
        stack_depth: of.stack_depth,
        strict: of.strict,
        fully_strict: of.fully_strict,
        join_distance: of.join_distance,
        nd: of.nd,
        parallelism: of.parallelism(),
        largest_frame: of.largest_frame,
        most_edges_out: of.most_edges_out,
    }
}

pub(super) fn run(options: &DagMeasureArgs) -> Result<(), Failure> {
    let loaded = Loaded::from(options.source.family, options.source.file.as_deref())?;
    if options.json {
        return output::print_json(&measured(&loaded));
    }
    let of = &loaded.measures;
    let kind = match (of.fully_strict, of.join_distance) {
        (true, _) => "fully strict".to_owned(),
        (_, Some(k)) => format!("strict ({k}-strict)"),
        _ => "neither strict nor fully strict".to_owned(),
    };
    let mut table = TextTable::untitled(3);
    let mut row = |name: &str, value: String, meaning: &str| {
        table.row([name.to_owned(), value, meaning.to_owned()]);
    };
    row("threads", of.threads.to_string(), "");
    row("work", of.work.to_string(), "T1, instructions");
    row(
        "span",
        of.span.to_string(),
        "Tinf, instructions on a longest path",
    );
    row("parallelism", decimals(of.parallelism(), 2), "T1/Tinf");
    row(
        "stack depth",
        of.stack_depth.to_string(),
        "S1, the space of one processor",
    );
    row("largest frame", of.largest_frame.to_string(), "Smax");
    row(
        "joins",
        of.nd.to_string(),
        "nd, the most join edges from a thread to its parent",
    );
    row(
        "edges out",
        of.most_edges_out.to_string(),
        "of an instruction, at most",
    );
    let name = output::printable(&loaded.name);
    output::print(&format!("{name}, {kind}\n\n{table}"))
}
