//! A computation, found and measured.

use std::path::Path;

use filch_experiments::dag::hypotheses;
use filch_sim::machine::Scheduler;
use filch_theory::machine::Hypotheses;
use filch_workload::dag::{Computation, Dag, Family, Measures};

use crate::failure::Failure;
use crate::folder::shown;
use crate::progress::Bar;
use crate::{input, memory};

/// A computation with its measures and what to call it.
pub(crate) struct Loaded {
    /// A family or a path, which may hold any character.
    pub(crate) name: String,
    pub(crate) computation: Computation,
    pub(crate) measures: Measures,
}

/// The largest file that 'filch dag export' writes is half as large.
const MOST_BYTES: u64 = 2 << 30;
/// A file takes so many times its size in memory while it is read.
const READING: u64 = 8;

impl Loaded {
    /// Takes the family, or reads the file: one of them is there.
    pub(crate) fn from(family: Option<Family>, file: Option<&Path>) -> Result<Self, Failure> {
        match (family, file) {
            (Some(family), _) => {
                let bar = Bar::busy(format!("measuring {family}"));
                let measures = family.measures();
                bar.finish();
                Ok(Self {
                    name: family.to_string(),
                    computation: family.computation(),
                    measures,
                })
            }
            (None, Some(path)) => {
                let bar = Bar::busy(format!("reading {}", shown(path)));
                let dag = read(path)?;
                let measures = dag.measures();
                bar.finish();
                Ok(Self {
                    name: path.display().to_string(),
                    measures,
                    computation: Computation::Explicit(dag),
                })
            }
            (None, None) => unreachable!("clap requires one of --family and --file"),
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
    let refuse = |problem: &dyn std::fmt::Display| {
        Failure::usage(format!("--file: cannot read '{}': {problem}", shown(path)))
    };
    let text = input::read(path, MOST_BYTES).map_err(|problem| refuse(&problem))?;
    memory::check(READING * text.len() as u64, "use a smaller file")?;
    Dag::from_json(&text)
        .map_err(|error| Failure::usage(format!("--file '{}': {error}", shown(path))))
}
