//! The table of accuracy.

mod compared;
mod lines;
mod measured;
mod recorded;

use std::path::Path;
use std::time::Duration;

use filch_experiments::profile::{Analysis, Costs, Prediction};
use filch_profile::Profile;
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

use crate::programs::{Program, Taken};
use compared::Compared;
use lines::Lines;
use recorded::Recorded;

/// Work and span are right to 5 %, T_P to 10 %.
const GOAL_OF_MEASURES: f64 = 0.05;
const GOAL_OF_TIMES: f64 = 0.10;

/// Programs are recorded on one thread and on two.
const RECORDED_ON: [usize; 2] = [1, 2];

/// Prints the table for all programs, or for those whose names contain one of the words.
pub(crate) fn print(recording: &Path, words: &[&str]) -> Result<(), String> {
    let costs = Costs::measure();
    let prices = costs.prices();
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
        let processors: &[usize] = if program.sleeps {
            &[1, 2, 8, 32]
        } else {
            &[1, 2]
        };
        let measured: Vec<Duration> = processors
            .iter()
            .map(|&threads| measured::median(program, threads))
            .collect();
        for threads in RECORDED_ON {
            let Recorded { profile, known } = recorded::record(recording, program, threads)?;
            let on = format!("{threads}");
            for (what, compared) in measures_of(&profile, known, &prices) {
                rows += 1;
                if compared.misses(GOAL_OF_MEASURES) {
                    misses.push(format!("{} on {on}: {what}", program.name));
                }
                let [found, known, error] = compared.cells(GOAL_OF_MEASURES);
                let cells = [program.name, &on, what, &found, &known, &error];
                measures.row(cells);
            }
            let predicted = Prediction::of(&profile, &prices, processors, Seed::default());
            for (row, &measured) in predicted.rows.iter().zip(&measured) {
                let compared = Compared {
                    found: std_time(row.time - serial(&profile)),
                    should_be: measured,
                };
                rows += 1;
                if compared.misses(GOAL_OF_TIMES) {
                    misses.push(format!("{} on {on}: T_{}", program.name, row.processors));
                }
                let [found, measured, error] = compared.cells(GOAL_OF_TIMES);
                let p = row.processors.to_string();
                times.row([program.name, &on, &p, &found, &measured, &error]);
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

/// Work and span beside what the leaves of the same run said.
fn measures_of(
    profile: &Profile,
    known: Option<Taken>,
    prices: &Prices,
) -> Vec<(&'static str, Compared)> {
    let Some(known) = known else {
        return Vec::new();
    };
    let total = Analysis::of(profile, prices.fork, prices.steal).total;
    let compared = |found, should_be| Compared {
        found: std_time(found),
        should_be,
    };
    vec![
        ("work", compared(total.work, known.work)),
        ("span", compared(total.span, known.span)),
    ]
}

/// The time outside of the section, which is not measured either.
fn serial(profile: &Profile) -> filch_profile::Duration {
    filch_experiments::profile::Timeline::of(profile).serial
}

fn std_time(time: filch_profile::Duration) -> Duration {
    Duration::from_nanos(time.picos() / 1000)
}
