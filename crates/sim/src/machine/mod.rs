//! P processors run a computation: BL99, ABP01, and fork-join as runtimes have it.
//!
//! Time goes in steps; in a step a processor executes one instruction, or does not work. A
//! scheduler decides which processor executes what:
//!
//! | name | where | what it needs |
//! |---|---|---|
//! | [`greedy`](Greedy) | BL99, Theorem 1 | any computation |
//! | [`busy-leaves`](BusyLeaves) | BL99 section 3 | a strict one |
//! | [`stealing`](Stealing) | BL99 sections 4 and 5 | a strict one; the theorems, a fully strict one |
//! | [`vertex-stealing`](VertexStealing) | ABP01 | at most two edges out of an instruction |
//! | [`sharing`](Sharing) | BL99 section 1 | any computation |
//! | [`leapfrog`, `hand-over` …](ForkJoin) | `docs/waiting.md` | a fork-join one |
//!
//! A [`Machine`] is one of them with all that it leaves open. It runs plainly, or watched: with the
//! papers' invariants checked at every step ([`Machine::checked`]), or written down as a
//! [`Record`].
//!
//! ```
//! use filch_random::Seed;
//! use filch_sim::machine::{Machine, Scheduler};
//! use filch_workload::dag::Family;
//!
//! let family: Family = "fib:16".parse()?;
//! let (computation, measures) = (family.computation(), family.measures());
//! let machine = Machine::new(Scheduler::Stealing, 8);
//! let outcome = machine.checked(&computation, &measures, Seed::new(1), 0)?;
//! assert_eq!(outcome.work, measures.work);                          // Lemma 7
//! assert!(outcome.peak_space <= 8 * measures.stack_depth);          // Theorem 5
//! assert_eq!(outcome.dollars(), 8 * outcome.time);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`replay`] runs a recorded program in continuous time.
//!
//! The two games that the proofs are built on are in [`game`]. In [`multiprogrammed`] a kernel
//! takes processors away.

mod adversary;
mod assembly;
mod busy_leaves;
mod check;
mod communication;
mod delay;
mod deque;
mod enabling;
mod execution;
mod fork_join;
pub mod game;
mod greedy;
mod ledger;
mod loss;
pub mod multiprogrammed;
mod named;
mod next;
mod observe;
mod order;
mod outcome;
mod phases;
mod pop_top;
mod powers;
mod record;
mod recorder;
pub mod replay;
mod requests;
mod scheduler;
mod sharing;
mod stack_ledger;
mod stealing;
mod vertex;
mod violation;
mod worker;

pub use adversary::Adversary;
pub use assembly::Machine;
pub use busy_leaves::BusyLeaves;
pub use check::{Checks, Watched};
pub use delay::{Augmented, DelaySequence, Delays, StealRound};
pub use deque::Deque;
pub use enabling::{Enabling, Relation};
pub use fork_join::{Costs, ForkJoin, Reach, Rule, WayBack};
pub use greedy::Greedy;
pub use ledger::{Ledger, LivingThread};
pub use loss::PotentialLoss;
pub use next::Next;
pub use observe::{Event, MachineView, Observer, Unwatched};
pub use order::Order;
pub use outcome::{MachineOutcome, Stacks};
pub use phases::Phases;
pub use pop_top::PopTop;
pub use powers::Powers;
pub use record::{Act, Pooled, Record, RecordedStep, RecordedThread, ServedRequest, Then};
pub use recorder::Recorder;
pub use scheduler::Scheduler;
pub use sharing::Sharing;
pub use stack_ledger::StackLedger;
pub use stealing::Stealing;
pub use vertex::{Branch, VertexStealing};
pub use violation::Violation;
