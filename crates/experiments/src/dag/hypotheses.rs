//! From the measures of a computation to what the theorems ask about it.

use filch_theory::machine::Hypotheses;
use filch_workload::dag::Measures;

/// What the theorems ask about a computation on so many processors.
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
