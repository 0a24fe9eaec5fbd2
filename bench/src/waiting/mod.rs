//! What waiting costs: programs whose leaves sleep, on more workers than there are cores.
//!
//! A leaf that sleeps needs no processor, so two cores carry 64 workers, and the time of a run shows
//! the schedule alone: how long work that is ready lies while a worker has none. The other half of
//! the program measures stacks, of each thread and of all together, on programs that tempt a waiting
//! worker to take unrelated work.

mod args;
mod forks;
mod print;
mod programs;
mod stacks;
mod times;

use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;

use crate::machine::Machine;
use crate::report::progress;
use args::{WaitingArgs, WaitingOptions};
use stacks::StackRow;
use times::TimeRow;

/// All that was measured.
#[derive(Debug, Serialize)]
struct WaitingResults {
    machine: Machine,
    rounds: usize,
    times: Vec<TimeRow>,
    stacks: Vec<StackRow>,
}

/// The program `waiting`: time over the ideal, and stacks over the serial stack, filch beside rayon.
pub fn waiting() -> ExitCode {
    let options = match WaitingOptions::checked(&WaitingArgs::parse()) {
        Ok(options) => options,
        Err(message) => {
            progress(&message);
            return ExitCode::from(2);
        }
    };
    if options.list {
        return crate::exit_code(print::names());
    }
    let machine = Machine::this();
    let times = times::measure(&options);
    let results = WaitingResults {
        machine,
        rounds: options.rounds,
        times,
        stacks: stacks::measure(&options),
    };
    crate::exit_code(if options.json {
        print::json(&results)
    } else {
        print::markdown(&results)
    })
}
