//! A computation, found and measured.

use std::fs;
use std::path::Path;

use filch_experiments::dag::hypotheses;
use filch_sim::machine::Scheduler;
use filch_theory::machine::Hypotheses;
use filch_workload::dag::{Computation, Dag, Measures};

use crate::args::Source;
use crate::failure::Failure;

/// A computation with its measures and what to call it.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) computation: Computation,
    pub(crate) measures: Measures,
}

impl Loaded {
    /// Reads the file, or takes the family.
    pub(crate) fn from(source: &Source) -> Result<Self, Failure> {
        match source {
            Source::Family(family) => Ok(Self {
                name: family.to_string(),
                computation: family.computation(),
                measures: family.measures(),
            }),
            Source::File(path) => {
                let dag = read(path)?;
                Ok(Self {
                    name: path.display().to_string(),
                    measures: dag.measures(),
                    computation: Computation::Explicit(dag),
                })
            }
        }
    }

    /// Refuses a scheduler that cannot run this.
    pub(crate) fn check(&self, scheduler: Scheduler) -> Result<(), Failure> {
        scheduler.accepts(&self.measures).map_err(|why| {
            let name = self.name.escape_debug();
            Failure::usage(format!("--scheduler {scheduler} cannot run {name}: {why}"))
        })
    }

    /// What the theorems ask about this on so many processors.
    pub(crate) fn hypotheses(&self, processors: usize) -> Hypotheses {
        hypotheses(&self.measures, processors)
    }
}

fn read(path: &Path) -> Result<Dag, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::run(format!("--file: cannot read {shown}: {error}")))?;
    Dag::from_json(&text).map_err(|error| Failure::usage(format!("--file {shown}: {error}")))
}
