//! `filch fleet`: policies in front of equal servers in continuous time, beside their limits.

mod answer;

use crate::args::FleetArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;
use answer::{Answer, Row};

pub(crate) fn run(options: &FleetArgs) -> Result<(), Failure> {
    options.check_memory()?;
    options.threads.choose()?;
    let study = options.study();
    let bar = Bar::of("filch fleet".to_owned());
    let mut rows = Vec::new();
    for policy in &options.policies.0 {
        let found = study
            .run(policy, &bar)
            .map_err(|error| Failure::usage(format!("--policies: {policy}: {error}")))?;
        rows.push(Row::new(policy, &study, &found));
    }
    bar.finish();
    let answer = Answer::new(&study, rows);
    if options.simulation.json {
        output::print_json(&answer)
    } else {
        output::print(&answer.text())
    }
}
