//! A machine put together from its parts, to be run plainly or watched.

use filch_policy::steal::Victim;
use filch_random::{Purpose, Seed};
use filch_workload::dag::{Computation, Dag, Measures, ThreadId, Unfold, Visit};

use super::adversary::Adversary;
use super::busy_leaves::BusyLeaves;
use super::check::{Checks, Watched};
use super::fork_join::{Costs, ForkJoin, Rule};
use super::greedy::Greedy;
use super::loss::PotentialLoss;
use super::next::Next;
use super::observe::{Observer, Unwatched};
use super::order::Order;
use super::outcome::MachineOutcome;
use super::phases::Phases;
use super::pop_top::PopTop;
use super::record::Record;
use super::recorder::Recorder;
use super::scheduler::Scheduler;
use super::sharing::Sharing;
use super::stealing::Stealing;
use super::vertex::{Branch, VertexStealing};
use super::violation::Violation;

const ASKING: Purpose = Purpose::named("victims");
const BRANCHING: Purpose = Purpose::named("branches");
const CHOOSING: Purpose = Purpose::named("choosing");
const SERVING: Purpose = Purpose::named("serving");

/// A machine: a scheduler with all that it leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How threads are scheduled.
    pub scheduler: Scheduler,
    /// P, at least 1.
    pub processors: usize,
    /// Which ready instructions come first under `greedy`.
    pub order: Order,
    /// Which request is served first under `stealing`.
    pub adversary: Adversary,
    /// Which vertex comes first under `vertex-stealing`.
    pub next: Next,
    /// When an attempt may fail under `vertex-stealing`.
    pub pop_top: PopTop,
    /// How thieves choose victims.
    pub victim: Victim,
    /// What moving work and waking workers costs under the fork-join schedulers.
    pub costs: Costs,
    /// The most workers under `hand-over` and its like; P of them have seats.
    pub workers: usize,
}

impl Machine {
    /// A machine that leaves the rest as the papers have it.
    pub fn new(scheduler: Scheduler, processors: usize) -> Self {
        Self {
            scheduler,
            processors,
            order: Order::default(),
            adversary: Adversary::default(),
            next: Next::default(),
            pop_top: PopTop::default(),
            victim: Victim::Uniform,
            costs: Costs::default(),
            workers: usize::MAX,
        }
    }

    /// Whether runs with different seeds differ.
    pub fn is_random(&self) -> bool {
        let by_order = self.scheduler == Scheduler::Greedy && self.order == Order::Random;
        self.scheduler.is_random() || by_order
    }

    /// Runs a computation that the scheduler [accepts](Scheduler::accepts), in one replication of
    /// the randomness of `seed`.
    pub fn run(&self, computation: &Computation, seed: Seed, replication: u64) -> MachineOutcome {
        let done = computation.visit(PlainRun {
            machine: self,
            seed,
            replication,
        });
        done.expect("an unwatched run breaks no promise")
    }

    /// The same, with everything that the scheduler promises checked as it runs.
    pub fn checked(
        &self,
        computation: &Computation,
        measures: &Measures,
        seed: Seed,
        replication: u64,
    ) -> Result<MachineOutcome, Violation> {
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
            Scheduler::Sharing => Checks::sharing(&watch(root)),
            Scheduler::ForkJoin(rule) => Checks::fork_join(&watch(root), &self.fork_join(rule)),
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
    ) -> Result<(MachineOutcome, Record), Violation> {
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
    ) -> (MachineOutcome, Phases) {
        let observer = |(root, _)| Phases::of(root, span, self.processors);
        let done = self.watched(computation, seed, replication, observer);
        done.expect("phases are only counted")
    }

    /// Runs `vertex-stealing` with other randomness from a round on: the replications of one `seed`
    /// agree before that round and are independent from there on. Tells what P steal attempts from
    /// there took of the potential.
    ///
    /// # Panics
    ///
    /// If the scheduler is another.
    pub fn loss_from(
        &self,
        round: u64,
        computation: &Computation,
        span: u64,
        seed: Seed,
        replication: u64,
    ) -> PotentialLoss {
        assert_eq!(self.scheduler, Scheduler::VertexStealing);
        computation.visit(Branching {
            machine: self,
            round,
            span,
            seed,
            replication,
        })
    }

    fn fork_join(&self, rule: Rule) -> ForkJoin {
        ForkJoin {
            processors: self.processors,
            rule,
            victim: self.victim,
            costs: self.costs,
            workers: self.workers,
        }
    }

    /// Runs with an observer that is made when the root is known.
    pub fn watched<O: Observer>(
        &self,
        computation: &Computation,
        seed: Seed,
        replication: u64,
        observer: impl FnOnce((ThreadId, u64)) -> O,
    ) -> Result<(MachineOutcome, O), Violation> {
        computation.visit(Observed {
            plain: PlainRun {
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
struct PlainRun<'a> {
    machine: &'a Machine,
    seed: Seed,
    replication: u64,
}

impl PlainRun<'_> {
    fn run<U: Unfold, O: Observer>(
        &self,
        computation: U,
        observer: &mut O,
    ) -> Result<MachineOutcome, Violation> {
        let &Machine {
            scheduler,
            processors,
            order,
            adversary,
            next,
            pop_top,
            victim,
            ..
        } = self.machine;
        let stream = |purpose| self.seed.stream(purpose, self.replication, 0);
        match scheduler {
            Scheduler::Greedy => {
                let machine = Greedy { processors, order };
                machine.run(computation, &mut stream(CHOOSING), observer)
            }
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
                    pop_top,
                };
                machine.run(computation, &mut stream(ASKING), observer)
            }
            Scheduler::Sharing => {
                Sharing { processors }.run(computation, &mut stream(ASKING), observer)
            }
            Scheduler::ForkJoin(rule) => {
                let machine = self.machine.fork_join(rule);
                machine.run(computation, &mut stream(ASKING), observer)
            }
        }
    }
}

impl Visit for PlainRun<'_> {
    type Value = Result<MachineOutcome, Violation>;

    fn visit<U: Unfold>(self, computation: U) -> Self::Value {
        self.run(computation, &mut Unwatched)
    }
}

/// A run of ABP01's machine that branches.
struct Branching<'a> {
    machine: &'a Machine,
    round: u64,
    span: u64,
    seed: Seed,
    replication: u64,
}

impl Visit for Branching<'_> {
    type Value = PotentialLoss;

    fn visit<U: Unfold>(self, computation: U) -> PotentialLoss {
        let &Machine {
            processors,
            next,
            victim,
            pop_top,
            ..
        } = self.machine;
        let machine = VertexStealing {
            processors,
            next,
            victim,
            pop_top,
        };
        let mut loss = PotentialLoss::from(self.round, computation.root(), self.span);
        let mut asking = self.seed.stream(ASKING, 0, 0);
        let then = self.seed.stream(BRANCHING, self.replication, self.round);
        let branch = Branch {
            round: self.round,
            then,
        };
        let done = machine.run_branch(computation, &mut asking, Some(branch), &mut loss);
        done.expect("losses are only measured");
        loss
    }
}

struct Observed<'a, F> {
    plain: PlainRun<'a>,
    observer: F,
}

impl<O: Observer, F: FnOnce((ThreadId, u64)) -> O> Visit for Observed<'_, F> {
    type Value = Result<(MachineOutcome, O), Violation>;

    fn visit<U: Unfold>(self, computation: U) -> Self::Value {
        let root = computation.root();
        let mut observer = (self.observer)((root, computation.frame(root)));
        let outcome = self.plain.run(computation, &mut observer)?;
        Ok((outcome, observer))
    }
}
