//! `filch dag`: computations on simulated processors.

pub(crate) mod bounds;
mod drawing;
mod export;
mod kernel;
pub(crate) mod measure;
pub(crate) mod run;
mod show;
pub(crate) mod source;
mod summary;

use crate::args::DagTask;
use crate::failure::Failure;

pub(crate) fn run(command: &DagTask) -> Result<(), Failure> {
    match command {
        DagTask::Measure(options) => measure::run(options),
        DagTask::Run(options) => run::run(options),
        DagTask::Kernel(options) => kernel::run(options),
        DagTask::Show(options) => show::run(options),
        DagTask::Export(options) => export::run(options),
    }
}
