//! The schedulers by name, and what each can run.

use filch_workload::dag::Measures;

use super::fork_join::Rule;
use super::named::named;

/// A scheduler of dags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// `greedy`: BL99, Theorem 1.
    Greedy,
    /// `busy-leaves`: BL99 section 3.
    BusyLeaves,
    /// `stealing`: BL99 section 4.
    Stealing,
    /// `vertex-stealing`: ABP01.
    VertexStealing,
    /// `sharing`: what BL99 section 1 sets stealing against.
    Sharing,
    /// Children are stolen, as in fork-join runtimes, and a rule says what a worker may do while it
    /// waits: `leapfrog`, `help-any`, `hand-over` and their like.
    ForkJoin(Rule),
}

impl Scheduler {
    /// The schedulers of the papers.
    pub const ALL: [Self; 5] = [
        Self::Greedy,
        Self::BusyLeaves,
        Self::Stealing,
        Self::VertexStealing,
        Self::Sharing,
    ];

    /// The schedulers of the papers, then those of fork-join runtimes.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Rule::ALL.map(Self::ForkJoin))
    }

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::BusyLeaves => "busy-leaves",
            Self::Stealing => "stealing",
            Self::VertexStealing => "vertex-stealing",
            Self::Sharing => "sharing",
            Self::ForkJoin(rule) => rule.name(),
        }
    }

    /// Whether runs with different seeds differ, if [all else](super::Machine::is_random) is as the
    /// papers have it.
    pub fn is_random(self) -> bool {
        !matches!(self, Self::Greedy | Self::BusyLeaves)
    }

    /// Whether idle processors choose victims.
    pub fn has_thieves(self) -> bool {
        self.is_random() && self != Self::Sharing
    }

    /// Whether this scheduler can run a computation; if not, why.
    pub fn accepts(self, measures: &Measures) -> Result<(), &'static str> {
        match self {
            Self::BusyLeaves if !measures.strict => {
                Err("busy-leaves needs a strict computation: use greedy or vertex-stealing")
            }
            Self::Stealing if !measures.fully_strict => Err(
                "stealing needs a fully strict computation: use greedy, vertex-stealing or, \
                     if it is strict, busy-leaves",
            ),
            Self::VertexStealing if measures.most_edges_out > 2 => {
                Err("vertex-stealing needs instructions with at most two edges out: use greedy")
            }
            Self::ForkJoin(_) if !measures.fully_strict || measures.nd > 1 => Err(
                "it needs threads that join with their parents alone, and only when they end: use \
                 greedy, vertex-stealing or, if it is fully strict, stealing",
            ),
            _ => Ok(()),
        }
    }
}

named!(Scheduler, "scheduler", Scheduler::all());
