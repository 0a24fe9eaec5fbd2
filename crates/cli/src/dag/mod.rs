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

use crate::args::Dag;
use crate::failure::Failure;

pub(crate) fn run(command: &Dag) -> Result<(), Failure> {
    match command {
        Dag::Measure(options) => measure::run(options),
        Dag::Run(options) => run::run(options),
        Dag::Show(options) => show::run(options),
        Dag::Export(options) => export::run(options),
    }
}
