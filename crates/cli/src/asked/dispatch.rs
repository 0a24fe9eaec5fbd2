//! `filch dispatch`.

use std::fmt::Display;
use std::num::NonZero;

use filch_experiments::dispatch::{Situation, SweepError};

use super::{SweepPlan, other, read};
use crate::args::Command;
use crate::dispatch::json::document;
use crate::failure::Failure;
use crate::{dispatch, output};

/// What `filch dispatch` is asked to do, checked.
#[derive(Debug)]
pub struct AskedDispatch {
    /// What to simulate.
    pub plan: SweepPlan,
    /// Threads to compute on.
    pub threads: NonZero<usize>,
}

impl AskedDispatch {
    /// Reads the words of the command, and the scenario file if they name one.
    ///
    /// # Errors
    ///
    /// If they are refused, or there is no memory for the runs.
    pub fn read(words: &[String]) -> Result<Self, Failure> {
        match read(words)? {
            Command::Dispatch(options) => Ok(Self {
                plan: options.plan()?,
                threads: options.threads.get(),
            }),
            _ => Err(other(words)),
        }
    }

    /// Why a sweep could not be made.
    pub fn refused(error: SweepError) -> Failure {
        dispatch::refused(error)
    }

    /// The answer as JSON. The policies may be any that have a name.
    pub fn json<P: Display + Clone>(&self, situations: &[Situation<'_, P>]) -> String {
        output::json(&document(&self.plan, situations))
    }
}
