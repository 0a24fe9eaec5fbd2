//! The table of accuracy.

mod compared;
mod lines;
mod recorded;
mod round;

use std::path::Path;

use filch_experiments::profile::Costs;

use crate::programs::Program;
use lines::Lines;
use round::{Measure, Rounds};

/// Work and span are right to 5 %, T_P to 10 %.
const GOAL_OF_MEASURES: f64 = 0.05;
const GOAL_OF_TIMES: f64 = 0.10;

/// Programs are recorded on one thread and on two.
const RECORDED_ON: [usize; 2] = [1, 2];

/// Prints the table for all programs, or for those whose names contain one of the words.
pub(crate) fn print(recording: &Path, words: &[&str]) -> Result<(), String> {
    let prices = Costs::measure().prices();
    println!(
        "fork {}, steal {}, wake-up {}, start {}\n",
        prices.fork, prices.steal, prices.wake, prices.start
    );
    let mut measures = Lines::new(["program", "recorded on", "", "recorded", "known", "error"]);
    let mut times = Lines::new([
        "program",
        "recorded on",
        "P",
        "predicted",
        "measured",
        "error",
    ]);
    let (mut rows, mut misses) = (0, Vec::new());
    for program in Program::ALL {
        if !words.is_empty() && !words.iter().any(|word| program.name.contains(word)) {
            continue;
        }
        eprintln!("{} …", program.name);
        let mut rounds = Rounds::new(program, prices);
        rounds.run(recording, &RECORDED_ON)?;
        for (row, compared) in rounds.medians() {
            let (lines, goal) = match row.measure {
                Measure::Work | Measure::Span => (&mut measures, GOAL_OF_MEASURES),
                Measure::Time(_) => (&mut times, GOAL_OF_TIMES),
            };
            let (on, what) = (row.recorded_on.to_string(), row.measure.to_string());
            let [found, should_be, error] = compared.cells(goal);
            lines.row([program.name, &on, &what, &found, &should_be, &error]);
            rows += 1;
            if compared.misses(goal) {
                misses.push(format!("{} on {on}: {what}", program.name));
            }
        }
    }
    println!("{}\n{}", measures.markdown(), times.markdown());
    println!("{} of {rows} rows miss their goal", misses.len());
    for miss in misses {
        println!("  {miss}");
    }
    Ok(())
}
