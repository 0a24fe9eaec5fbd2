//! `filch rivals`: the natural process and its rivals on the same jobs.

mod answer;

use crate::args::RivalsArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;
use answer::{Answer, Row};

pub(crate) fn run(options: &RivalsArgs) -> Result<(), Failure> {
    options.check_memory()?;
    options.threads.choose()?;
    let study = options.study();
    let bar = Bar::of("filch rivals".to_owned());
    let mut rows = Vec::new();
    for contender in &options.contenders.0 {
        let found = study.run(contender, &bar);
        let found = found.map_err(|error| Failure::usage(format!("--contenders: {error}")))?;
        rows.push(Row::new(contender, &study, &found));
    }
    bar.finish();
    let answer = Answer::new(&study, rows);
    if options.simulation.json {
        output::print_json(&answer)
    } else {
        output::print(&answer.text())
    }
}
