//! Everything that a simulation of the [`farm`](crate::farm) with a policy, arrivals or capacities
//! of your own needs: `use filch_sim::prelude::*;`.
//!
//! It also has the traits for the [`fleet`](crate::fleet) and for [`natural`](crate::natural). The
//! types of these two are named by their modules, since some have the names of the farm's.

pub use filch_policy::dispatch::{Assignment, Dispatch, Idle, Spec, Start, View};
pub use filch_policy::steal::Steal;
pub use filch_random::{Purpose, Seed, Stream};
pub use filch_workload::{
    Arrivals, Arrive, ArriveInTime, Capacity, Load, Place, Serve, ServiceLaw, streams,
};
pub use rand::{Rng, RngExt};

pub use crate::farm::{
    Batches, Capacities, Class, FarmOutcome, Length, Line, Run, Servers, simulate,
};
