//! Sweep files: reading never panics, a plan's canonical form is read back as the same plan, and a
//! refusal is one line.

#![no_main]

use filch_cli::asked::canonical_plan;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match canonical_plan(text) {
        Ok(plan) => {
            let written = plan.canonical();
            let again = canonical_plan(&written).map(|plan| plan.canonical());
            assert_eq!(again.as_ref(), Ok(&written));
        }
        Err(refused) => {
            let sentence = refused.sentence().expect("a refusal says why");
            assert_eq!(sentence.lines().count(), 1, "{sentence}");
        }
    }
});
