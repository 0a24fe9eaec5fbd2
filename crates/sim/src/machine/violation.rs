//! A broken promise.

use std::error::Error;
use std::fmt;

/// An invariant that a paper promises and a run broke.
///
/// Printed, it is a single line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which one, and where it is stated.
    pub invariant: &'static str,
    /// The step at whose beginning it was found; 0 if it is about the whole run.
    pub step: u64,
    /// The processor, counted from 1, where there is one to blame.
    pub processor: Option<usize>,
    /// The processor's thread and its deque from bottom to top.
    pub deque: Vec<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is violated", self.invariant)?;
        if self.step > 0 {
            write!(f, " at step {}", self.step)?;
        }
        if let Some(processor) = self.processor {
            write!(f, " by processor {processor}")?;
            match self.deque.split_first() {
                None => {}
                Some((hand, deque)) => write!(
                    f,
                    ", which works on {hand} with the deque [{}] from bottom to top",
                    deque.join(", ")
                )?,
            }
        }
        write!(f, ": {}", self.what)
    }
}

impl Error for Violation {}
