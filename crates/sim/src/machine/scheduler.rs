//! The schedulers by name, and what each can run.

use std::fmt;
use std::str::FromStr;

use filch_policy::steal::Victim;
use filch_random::{Purpose, Seed};
use filch_workload::dag::{Computation, Dag, Measures, ThreadId, Unfold, Visit};

use super::adversary::Adversary;
use super::busy_leaves::BusyLeaves;
use super::check::{Checks, Watched};
use super::greedy::Greedy;
use super::observe::{Observer, Unwatched};
use super::outcome::Outcome;
use super::phases::Phases;
use super::record::{Record, Recorder};
use super::stealing::Stealing;
use super::vertex::{Next, VertexStealing};
use super::violation::Violation;

const ASKING: Purpose = Purpose::named("victims");
const SERVING: Purpose = Purpose::named("serving");

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
}

impl Scheduler {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Greedy,
        Self::BusyLeaves,
        Self::Stealing,
        Self::VertexStealing,
    ];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::BusyLeaves => "busy-leaves",
            Self::Stealing => "stealing",
            Self::VertexStealing => "vertex-stealing",
        }
    }

    /// Whether runs with different seeds differ.
    pub fn is_random(self) -> bool {
        matches!(self, Self::Stealing | Self::VertexStealing)
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
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheduler {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| {
            format!(
                "unknown scheduler '{}': use greedy, busy-leaves, stealing or vertex-stealing",
                name.escape_debug()
            )
        })
    }
}

/// A machine: a scheduler with all that it leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How threads are scheduled.
    pub scheduler: Scheduler,
    /// P, at least 1.
    pub processors: usize,
    /// Who is served first under `stealing`.
    pub adversary: Adversary,
    /// Which vertex comes first under `vertex-stealing`.
    pub next: Next,
    /// Whom thieves ask.
    pub victim: Victim,
}

impl Machine {
    /// A machine that leaves the rest as the papers have it.
    pub fn new(scheduler: Scheduler, processors: usize) -> Self {
        Self {
            scheduler,
            processors,
            adversary: Adversary::default(),
            next: Next::default(),
            victim: Victim::Uniform,
        }
    }

    /// Runs a computation that the scheduler [accepts](Scheduler::accepts), in one replication of
    /// the randomness of `seed`.
    pub fn run(&self, computation: &Computation, seed: Seed, replication: u64) -> Outcome {
        let done = computation.visit(Plain {
            machine: self,
            seed,
            replication,
        });
        done.expect("nobody watches, nobody complains")
    }

    /// The same, with everything that the scheduler promises checked as it runs.
    pub fn checked(
        &self,
        computation: &Computation,
        measures: &Measures,
        seed: Seed,
        replication: u64,
    ) -> Result<Outcome, Violation> {
        let watch = |root| Watched {
            root,
            names: names(computation),
            measures: *measures,
            processors: self.processors,
        };
        let observer = |root| match self.scheduler {
            Scheduler::Greedy => Checks::greedy(&watch(root)),
            Scheduler::BusyLeaves => Checks::busy_leaves(&watch(root)),
            Scheduler::Stealing => Checks::stealing(&watch(root)),
            Scheduler::VertexStealing => Checks::vertex_stealing(&watch(root)),
        };
        let done = self.watched(computation, seed, replication, observer);
        done.map(|(outcome, _)| outcome)
    }

    /// The same, written down; it fails if it takes more than `limit` steps.
    pub fn recorded(
        &self,
        computation: &Computation,
        seed: Seed,
        replication: u64,
        limit: usize,
    ) -> Result<(Outcome, Record), Violation> {
        let observer = |root| Recorder::new(root, names(computation), self.processors, limit);
        let (outcome, recorder) = self.watched(computation, seed, replication, observer)?;
        Ok((outcome, recorder.record()))
    }

    /// The same, with the phases of ABP01 counted.
    pub fn with_phases(
        &self,
        computation: &Computation,
        span: u64,
        seed: Seed,
        replication: u64,
    ) -> (Outcome, Phases) {
        let observer = |(root, _)| Phases::of(root, span, self.processors);
        let done = self.watched(computation, seed, replication, observer);
        done.expect("phases are only counted")
    }

    /// Runs with an observer that is made when the root is known.
    pub fn watched<O: Observer>(
        &self,
        computation: &Computation,
        seed: Seed,
        replication: u64,
        observer: impl FnOnce((ThreadId, u64)) -> O,
    ) -> Result<(Outcome, O), Violation> {
        computation.visit(Observed {
            plain: Plain {
                machine: self,
                seed,
                replication,
            },
            observer,
        })
    }
}

fn names(computation: &Computation) -> Option<&Dag> {
    match computation {
        Computation::Explicit(dag) => Some(dag),
        _ => None,
    }
}

/// One run.
struct Plain<'a> {
    machine: &'a Machine,
    seed: Seed,
    replication: u64,
}

impl Plain<'_> {
    fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        observer: &mut O,
    ) -> Result<Outcome, Violation> {
        let &Machine {
            scheduler,
            processors,
            adversary,
            next,
            victim,
        } = self.machine;
        let stream = |purpose| self.seed.stream(purpose, self.replication, 0);
        match scheduler {
            Scheduler::Greedy => Greedy { processors }.run(computation, observer),
            Scheduler::BusyLeaves => BusyLeaves { processors }.run(computation, observer),
            Scheduler::Stealing => {
                let machine = Stealing {
                    processors,
                    adversary,
                    victim,
                };
                let (mut asking, mut serving) = (stream(ASKING), stream(SERVING));
                machine.run(computation, &mut asking, &mut serving, observer)
            }
            Scheduler::VertexStealing => {
                let machine = VertexStealing {
                    processors,
                    next,
                    victim,
                };
                machine.run(computation, &mut stream(ASKING), observer)
            }
        }
    }
}

impl Visit for Plain<'_> {
    type Value = Result<Outcome, Violation>;

    fn visit<U: Unfold>(self, computation: U) -> Self::Value {
        self.run(computation, &mut Unwatched)
    }
}

struct Observed<'a, F> {
    plain: Plain<'a>,
    observer: F,
}

impl<O: Observer, F: FnOnce((ThreadId, u64)) -> O> Visit for Observed<'_, F> {
    type Value = Result<(Outcome, O), Violation>;

    fn visit<U: Unfold>(self, computation: U) -> Self::Value {
        let root = computation.root();
        let mut observer = (self.observer)((root, computation.frame(root)));
        let outcome = self.plain.run(computation, &mut observer)?;
        Ok((outcome, observer))
    }
}
