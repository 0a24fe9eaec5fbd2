//! `filch dag`: computations on simulated processors.

pub(crate) mod bounds;
mod drawing;
mod export;
mod measure;
mod run;
mod show;
pub(crate) mod source;
mod summary;
mod table;

use crate::args::DagCommand;
use crate::failure::Failure;

pub(crate) fn run(command: &DagCommand) -> Result<(), Failure> {
    match command {
        DagCommand::Measure(options) => measure::run(options),
        DagCommand::Run(options) => run::run(options),
        DagCommand::Show(options) => show::run(options),
        DagCommand::Export(options) => export::run(options),
    }
}
