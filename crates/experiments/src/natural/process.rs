//! A process that can be run, or whose bounds can be computed.

use filch_policy::steal::StealFunction;
use filch_theory::natural::{Constants, lemma2, theorem12};
use filch_workload::{Invalid, Placement, Probability};

/// n, λ, f and D of BFG03.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Process {
    /// n: processors, and as many generators.
    pub processors: usize,
    /// λ: the probability with which a generator makes a job in a step.
    pub lambda: Probability,
    /// f: how many of its jobs an asked processor gives away.
    pub steal: StealFunction,
    /// D: where the generators sit.
    pub placement: Placement,
    /// The constant c of the bounds, which their proofs want "sufficiently large".
    pub c: f64,
}

/// Bytes that a run needs for each processor, more of them for a table of Zipf's law, and for the
/// number of generators that each processor hosts.
const BYTES_PER_PROCESSOR: u64 = 7;
const BYTES_PER_ZIPF: u64 = 48;
const BYTES_PER_HOST: u64 = 4;

impl Process {
    /// About how many bytes of memory a run takes, without what is kept of it.
    pub fn bytes_of_a_run(&self) -> u64 {
        let more = match self.placement {
            Placement::Zipf(_) => BYTES_PER_ZIPF,
            Placement::Longest | Placement::Shortest => BYTES_PER_HOST,
            _ => 0,
        };
        self.processors as u64 * (BYTES_PER_PROCESSOR + more)
    }

    /// The c that is used where no other is asked for.
    pub const C: f64 = 2.0;

    /// A process whose bounds are computed with c = 2.
    ///
    /// # Errors
    ///
    /// If the placement does not fit the number of processors.
    pub fn new(
        processors: usize,
        lambda: Probability,
        steal: StealFunction,
        placement: Placement,
    ) -> Result<Self, Invalid> {
        placement.start(processors)?;
        Ok(Self {
            processors,
            lambda,
            steal,
            placement,
            c: Self::C,
        })
    }

    /// The process with these names, which are known to be good.
    pub(crate) fn named(processors: usize, lambda: f64, steal: &str, placement: &str) -> Self {
        Self {
            processors,
            lambda: Probability::new(lambda).expect("a probability"),
            steal: steal.parse().expect("a steal function"),
            placement: placement.parse().expect("a placement"),
            c: Self::C,
        }
    }

    /// The bounds of Theorem 12, where n is large enough for them to be defined.
    pub fn bounds(&self) -> Option<theorem12::LoadBounds> {
        let constants = Constants::new(self.processors as u64, self.lambda.get(), self.c).ok()?;
        let phi = lemma2::bound(&constants, &self.steal).ok()?;
        Some(theorem12::LoadBounds::new(&constants, &phi))
    }
}
