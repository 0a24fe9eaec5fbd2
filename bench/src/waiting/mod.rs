//! What waiting costs: programs whose leaves sleep, on more workers than there are cores.
//!
//! A leaf that sleeps needs no processor, so two cores carry 64 workers. The time of a run then
//! shows the schedule alone: how long ready work lies while a worker has none. The other half of
//! the program measures stacks, of each thread and of all together, on programs that tempt a
//! waiting worker to take unrelated work.

mod args;
mod forks;
mod print;
mod programs;
mod records;
mod stacks;
mod times;

use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;

use crate::host::HostFacts;
use crate::output;
use args::{WaitingArgs, WaitingOptions};
use stacks::StackRow;
use times::TimeRow;

/// All that was measured.
#[derive(Debug, Serialize)]
struct WaitingResults {
    machine: HostFacts,
    rounds: usize,
    times: Vec<TimeRow>,
    stacks: Vec<StackRow>,
}

/// The program `waiting`: time over the ideal and stacks over the serial one, filch beside rayon.
pub fn waiting() -> ExitCode {
    let options = match WaitingOptions::checked(WaitingArgs::parse()) {
        Ok(options) => options,
        Err(message) => return output::refuse(&message),
    };
    if options.list {
        return output::exit_code(print::names());
    }
    let machine = HostFacts::this();
    let times = times::measure(&options);
    let results = WaitingResults {
        machine,
        rounds: options.rounds,
        times,
        stacks: stacks::measure(&options),
    };
    if let Some(folder) = &options.csv
        && let Err(error) = records::write(folder, &results)
    {
        return output::exit_code(Err(error));
    }
    output::exit_code(if options.json {
        output::json(&results)
    } else {
        print::markdown(&results)
    })
}
