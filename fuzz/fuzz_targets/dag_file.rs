//! Files of computations: reading never panics, what is written is read back as the same
//! computation, and its measures are those of a computation.

#![no_main]

use filch_workload::dag::Dag;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(dag) = Dag::from_json(text) else {
        return;
    };
    assert_eq!(Dag::from_json(&dag.to_json()).as_ref(), Ok(&dag));
    let measures = dag.measures();
    assert!(measures.span <= measures.work, "Tinf is at most T1");
});
