//! `filch dag measure`, `filch dag run` and `filch theory dag`.

use std::num::NonZero;

use filch_experiments::dag::Executions;
use filch_sim::machine::{Machine, MachineOutcome};

use super::{other, read};
use crate::args::{Command, DagRunArgs, DagTask, TheoryTopic};
use crate::dag::measure::measured;
use crate::dag::run::check_memory;
use crate::dag::source::Loaded;
use crate::failure::Failure;
use crate::{output, theory};

/// What `filch dag run` is asked to do, checked: the computation is read and measured.
pub struct AskedDag {
    loaded: Loaded,
    machine: Machine,
    runs: usize,
    check: bool,
    seed: filch_random::Seed,
    /// Threads to compute on.
    pub threads: NonZero<usize>,
}

impl AskedDag {
    /// Reads the words of the command, and the file of the computation if they name one.
    ///
    /// # Errors
    ///
    /// If they are refused, the file cannot be read, the scheduler cannot run the computation, or
    /// there is no memory for the runs.
    pub fn read(words: &[String]) -> Result<Self, Failure> {
        match read(words)? {
            Command::Dag(DagTask::Run(options)) => Self::of(&options),
            _ => Err(other(words)),
        }
    }

    pub(crate) fn of(options: &DagRunArgs) -> Result<Self, Failure> {
        let loaded = Loaded::from(options.source.family, options.source.file.as_deref())?;
        let machine = options.machine.machine();
        loaded.check(machine.scheduler)?;
        check_memory(options, &loaded)?;
        Ok(Self {
            loaded,
            machine,
            runs: options.runs.size(),
            check: options.check,
            seed: options.simulation.seed,
            threads: options.threads.get(),
        })
    }

    /// The runs.
    pub fn executions(&self) -> Executions<'_> {
        Executions {
            computation: &self.loaded.computation,
            measures: &self.loaded.measures,
            machine: self.machine,
            runs: self.runs,
            check: self.check,
            seed: self.seed,
        }
    }

    /// The name of the computation.
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// The measures of the computation, as `filch dag measure --json` prints them.
    pub fn measures(&self) -> String {
        output::json(&measured(&self.loaded))
    }

    /// The answer as JSON.
    pub fn json(&self, outcomes: &[MachineOutcome]) -> String {
        output::json(&self.executions().summary(self.name(), outcomes))
    }
}

/// The answer of `filch dag measure`, as JSON.
///
/// # Errors
///
/// If the words are refused or the file cannot be read.
pub fn measure(words: &[String]) -> Result<String, Failure> {
    match read(words)? {
        Command::Dag(DagTask::Measure(options)) => {
            let source = &options.source;
            let loaded = Loaded::from(source.family, source.file.as_deref())?;
            Ok(output::json(&measured(&loaded)))
        }
        _ => Err(other(words)),
    }
}

/// The answer of `filch theory dag`, as JSON.
///
/// # Errors
///
/// If the words are refused or the file cannot be read.
pub fn theory_dag(words: &[String]) -> Result<String, Failure> {
    match read(words)? {
        Command::Theory(TheoryTopic::Dag(options)) => {
            Ok(output::json(&theory::dag::answer(&options)?))
        }
        _ => Err(other(words)),
    }
}
