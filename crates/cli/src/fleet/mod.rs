//! `filch fleet`: policies in front of equal servers in continuous time, beside their limits.

mod answer;

use crate::args::FleetArgs;
use crate::asked::AskedFleet;
use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;

pub(crate) use answer::Answer;

pub(crate) fn run(options: &FleetArgs) -> Result<(), Failure> {
    let asked = AskedFleet::of(options)?;
    options.threads.choose()?;
    let bar = Bar::of("filch fleet".to_owned());
    let mut found = Vec::new();
    for policy in &asked.policies {
        found.push(asked.run(policy, &bar)?);
    }
    bar.finish();
    let answer = Answer::new(&asked.study, &found);
    if options.simulation.json {
        output::print_json(&answer)
    } else {
        output::print(&answer.text())
    }
}
