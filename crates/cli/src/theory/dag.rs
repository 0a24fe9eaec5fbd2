//! `filch theory dag`: what BL99 and ABP01 promise about a computation on P processors.

use filch_experiments::dag::DagBounds;
use filch_theory::machine::Hypotheses;

use crate::args::TheoryDagArgs;
use crate::dag::bounds;
use crate::dag::source::Loaded;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(options: &TheoryDagArgs) -> Result<(), Failure> {
    let bounds = answer(options)?;
    if options.json {
        output::print_json(&bounds)
    } else {
        output::print(&bounds::text(&bounds))
    }
}

/// The bounds on the computation.
pub(crate) fn answer(options: &TheoryDagArgs) -> Result<DagBounds, Failure> {
    let given = match (options.work, options.span) {
        (Some(work), Some(span)) => Hypotheses {
            work: work.get(),
            span: span.get(),
            stack_depth: options.stack_depth.map_or(1, |depth| depth.get()),
            nd: options.nd.map_or(1, |joins| joins.get()),
            largest_frame: options.largest_frame.map_or(1, |frame| frame.get()),
            processors: options.processors.get(),
        },
        _ => Loaded::from(options.family, options.file.as_deref())?
            .hypotheses(options.processors.size()),
    };
    Ok(DagBounds::of(&given, options.epsilon.get()))
}
