//! `filch theory dag`: what BL99 and ABP01 promise about a computation on P processors.

use filch_experiments::dag::DagBounds;
use filch_theory::machine::Hypotheses;

use crate::args::{DagFigures, DagTheory};
use crate::dag::bounds;
use crate::dag::source::Loaded;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(options: &DagTheory) -> Result<(), Failure> {
    let processors = options.processors as u64;
    let given = match &options.about {
        DagFigures::Of(source) => Loaded::from(source)?.hypotheses(options.processors),
        &DagFigures::Typed {
            work,
            span,
            stack_depth,
            nd,
            largest_frame,
        } => Hypotheses {
            work,
            span,
            stack_depth,
            nd,
            largest_frame,
            processors,
        },
    };
    let bounds = DagBounds::of(&given, options.epsilon);
    if options.json {
        output::print_json(&bounds)
    } else {
        output::print(&bounds::text(&bounds))
    }
}
