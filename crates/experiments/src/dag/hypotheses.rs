//! The measures of a computation as hypotheses of the theorems.

use filch_theory::machine::Hypotheses;
use filch_workload::dag::Measures;

/// The hypotheses of the theorems for a computation with these measures on so many processors.
pub fn hypotheses(measures: &Measures, processors: usize) -> Hypotheses {
    Hypotheses {
        work: measures.work,
        span: measures.span,
        stack_depth: measures.stack_depth,
        nd: measures.nd,
        largest_frame: measures.largest_frame,
        processors: processors as u64,
    }
}
