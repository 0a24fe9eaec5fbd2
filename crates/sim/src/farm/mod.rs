//! PI's dispatcher in front of its servers.
//!
//! Time goes in slots. PI section 2.1 orders what happens in slot t:
//!
//! 1. a batch of a(t) jobs arrives at the dispatcher;
//! 2. a policy of `filch-policy` routes it at once, whole or split, seeing the queues as they were
//!    at the end of slot t−1;
//! 3. server i completes up to s_i(t) jobs, first come, first served, the newcomers among them;
//! 4. every server that had jobs and has none left *became* idle and sends its token.
//!
//! So Q_i(t) = \[Q_i(t−1) + a_i(t) − s_i(t)\]⁺ (equation 4), and queue lengths are those at the end
//! of a slot.
//!
//! ```
//! use filch_random::Seed;
//! use filch_sim::farm::{Batches, Class, Length, Run, Servers, simulate};
//! use filch_workload::{Arrivals, Load};
//!
//! // PI section 4.1: fifty slow and fifty fast servers at 90 % load.
//! let servers = Servers::of(vec![
//!     Class::new("slow", 50, "uniform:1".parse()?),
//!     Class::new("fast", 50, "uniform:10".parse()?),
//! ])?;
//! let arrivals = Arrivals::poisson(Load::new(0.9)?.rate(servers.total_capacity()))?;
//! let run = |policy: &str| Run::of(policy.parse().unwrap(), Batches::Whole, arrivals.clone());
//! let outcomes = simulate(&servers, &[run("pi"), run("jsq:2")], Length::of(2000), Seed::new(1), 0)?;
//!
//! let [pi, jsq2] = outcomes.as_slice() else { unreachable!() };
//! assert_eq!(pi.jobs, jsq2.jobs, "both met the same arrivals");
//! assert!(pi.waited < jsq2.waited, "and PI kept the shorter queues");
//! assert!(pi.messages <= pi.sub_batches, "Proposition 3.1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Common random numbers
//!
//! [`simulate`] makes many runs side by side. All of them meet the same capacities s_i(t), and
//! those with the same arrivals meet the same batches, so policies are compared in pairs. Every
//! policy draws its own choices from a stream of its own, so a run does not depend on the others
//! beside it. These streams begin alike. Policies that differ only in what they do while no server
//! is idle make the same run until then, and that part is simulated once (`shared_run.rs`). Runs of
//! two calls of [`simulate`] meet the same numbers too if seed and replication are the same.
//!
//! # Your own policy, arrivals and capacities
//!
//! [`Run::with`] takes any [`Dispatch`](filch_policy::dispatch::Dispatch) and any
//! [`Arrive`](filch_workload::Arrive), [`Class::with`] any [`Serve`](filch_workload::Serve). The
//! [crate's page](crate) has an example, `examples/own_policy.rs` a larger one. All code is
//! generic, so neither your types nor the built-in ones pay for a virtual call.
//!
//! # Why counts are enough
//!
//! Jobs are not represented one by one. The jobs of a sub-batch are alike and leave in order, so a
//! queue is a sequence of pairs (slot of arrival, jobs that remain). If d of them leave in slot t,
//! the histogram of completion times ([`Completions`]) gets d entries of t − arrival + 1. While all
//! jobs are young, they are counted by age and server, which takes less time (`ages.rs`). Without
//! completion times a queue is a number, and a slot is one pass over the numbers of all servers
//! (`service.rs`), which the compiler vectorises. [`plain`] is the same model job by job. A
//! property test compares the two slot by slot, on the same random numbers.
//!
//! # What stays bounded
//!
//! An overloaded farm must not exhaust the machine. A run ends before the slot in which more than
//! [`MOST_JOBS`] jobs would wait ([`FarmOutcome::ended`]). A run that times jobs keeps at most
//! [`most_entries`] pairs. Jobs that arrive when they are used up are served but not timed
//! ([`Completions::cut`]).

mod ages;
mod arriving;
mod capacities;
mod completions;
mod drift;
mod line;
mod outcome;
mod pairs;
pub mod plain;
mod run;
mod servers;
mod service;
mod shared_run;
mod simulate;
mod trajectory;
mod waits;

pub use capacities::Capacities;
pub use completions::Completions;
pub use drift::{Drift, Level};
pub use line::{Line, MOST_JOBS};
pub use outcome::FarmOutcome;
pub use pairs::most_entries;
pub use run::{Batches, Length, Run};
pub use servers::{Class, NoServers, Servers};
pub use simulate::{Error, simulate, simulate_and_tell};
pub use trajectory::Trajectory;
