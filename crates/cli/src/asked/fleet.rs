//! `filch fleet`.

use std::num::NonZero;

use filch_experiments::Progress;
use filch_experiments::fleet::{FleetEstimates, FleetStudy};
use filch_policy::dispatch::Spec;

use super::{other, read};
use crate::args::{Command, FleetArgs};
use crate::failure::Failure;
use crate::fleet::Answer;
use crate::output;

/// What `filch fleet` is asked to do, checked.
#[derive(Clone, Debug)]
pub struct AskedFleet {
    /// The servers, and how they are measured.
    pub study: FleetStudy,
    /// The policies.
    pub policies: Vec<Spec>,
    /// Threads to compute on.
    pub threads: NonZero<usize>,
}

/// A policy, and what its runs show.
#[derive(Clone, Debug)]
pub struct FleetPolicy {
    /// What to call it.
    pub name: String,
    /// The policy, if it is one of filch's; only such have a limit.
    pub spec: Option<Spec>,
    /// What its runs show.
    pub found: FleetEstimates,
}

impl AskedFleet {
    /// Reads the words of the command.
    ///
    /// # Errors
    ///
    /// If they are refused, or there is no memory for the runs.
    pub fn read(words: &[String]) -> Result<Self, Failure> {
        match read(words)? {
            Command::Fleet(options) => Self::of(&options),
            _ => Err(other(words)),
        }
    }

    pub(crate) fn of(options: &FleetArgs) -> Result<Self, Failure> {
        options.check_memory()?;
        Ok(Self {
            study: options.study(),
            policies: options.policies.0.clone(),
            threads: options.threads.get(),
        })
    }

    /// Makes the runs of one policy.
    ///
    /// # Errors
    ///
    /// If the policy needs more servers than there are.
    pub fn run(&self, policy: &Spec, progress: &dyn Progress) -> Result<FleetPolicy, Failure> {
        let found = self.study.run(policy, progress);
        let found =
            found.map_err(|error| Failure::usage(format!("--policies: {policy}: {error}")))?;
        Ok(FleetPolicy {
            name: policy.to_string(),
            spec: Some(*policy),
            found,
        })
    }

    /// The answer as JSON.
    pub fn json(&self, found: &[FleetPolicy]) -> String {
        output::json(&Answer::new(&self.study, found))
    }
}
