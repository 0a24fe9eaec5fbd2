//! `filch natural` and `filch theory natural`.

use std::num::NonZero;

use filch_experiments::natural::{Conclusion, LoadLimit, ProcessBounds, Recovery, Study};

use super::{other, read};
use crate::args::{Command, NaturalArgs, TheoryTopic};
use crate::failure::Failure;
use crate::natural::Answer;
use crate::{output, theory};

/// What `filch natural` is asked to do, checked.
#[derive(Clone, Copy, Debug)]
pub struct AskedNatural {
    /// The runs.
    pub study: Study,
    /// Measure how long it takes to recover from so many jobs in one queue.
    pub recover: Option<u64>,
    /// Also compute the limit of very many processors.
    pub limit: bool,
    /// Threads to compute on.
    pub threads: NonZero<usize>,
}

impl AskedNatural {
    /// Reads the words of the command.
    ///
    /// # Errors
    ///
    /// If they are refused, or there is no memory for the runs.
    pub fn read(words: &[String]) -> Result<Self, Failure> {
        match read(words)? {
            Command::Natural(options) => Self::of(&options),
            _ => Err(other(words)),
        }
    }

    pub(crate) fn of(options: &NaturalArgs) -> Result<Self, Failure> {
        options.check_memory()?;
        Ok(Self {
            study: Study {
                process: options.process.process(),
                length: options.length(),
                replications: options.replications(),
                seed: options.simulation.seed,
            },
            recover: options.recover(),
            limit: options.limit(),
            threads: options.threads.get(),
        })
    }

    pub(crate) fn answer(&self, conclusion: &Conclusion, recovery: Option<Recovery>) -> Answer {
        let process = &self.study.process;
        let limit = self.limit.then(|| LoadLimit::of(process));
        let bounds = ProcessBounds::of(process);
        Answer::new(&self.study, conclusion, recovery, limit, bounds)
    }

    /// The answer as JSON.
    pub fn json(&self, conclusion: &Conclusion, recovery: Option<Recovery>) -> String {
        output::json(&self.answer(conclusion, recovery))
    }
}

/// The answer of `filch theory natural`, as JSON.
///
/// # Errors
///
/// If the words are refused.
pub fn theory_natural(words: &[String]) -> Result<String, Failure> {
    match read(words)? {
        Command::Theory(TheoryTopic::Natural(options)) => {
            Ok(output::json(&theory::natural::answer(&options)))
        }
        _ => Err(other(words)),
    }
}
