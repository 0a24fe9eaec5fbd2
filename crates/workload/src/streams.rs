//! The names of the random streams that simulations draw from.
//!
//! A stream is found by its address: seed, purpose, replication, index ([`Seed::stream`]). Programs
//! that draw from the same address meet the same numbers. So a simulation of your own can meet the
//! arrivals of `filch dispatch`, and the farm, the fleet and the servers of `filch-balance`'s trial
//! can be compared with common random numbers.
//!
//! | purpose | index | what is drawn |
//! |---|---|---|
//! | [`ARRIVALS`] | 0 | batches, slot by slot; in the fleet, times between batches; generated jobs |
//! | [`CAPACITY`] | class of servers | capacities of the class, slot by slot, server by server |
//! | [`ROUTING`] | dispatcher; 0 in the farm | the policy's own choices |
//! | [`ENTRIES`] | 0 | the dispatcher by which a batch enters the fleet |
//! | [`SERVICE`] | server | service times of the fleet, request by request |
//! | [`REQUESTS`] | 0 | the victim of each request, and the request that is granted |
//!
//! [`Seed::stream`]: filch_random::Seed::stream

use filch_random::Purpose;

/// What arrives, and when.
pub const ARRIVALS: Purpose = Purpose::named("arrivals");

/// How many jobs servers can complete in a slot.
pub const CAPACITY: Purpose = Purpose::named("capacity");

/// Where a policy sends batches.
pub const ROUTING: Purpose = Purpose::named("routing");

/// By which dispatcher a batch enters.
pub const ENTRIES: Purpose = Purpose::named("entries");

/// How long requests take at a server.
pub const SERVICE: Purpose = Purpose::named("service");

/// Which processors ask which for work.
pub const REQUESTS: Purpose = Purpose::named("requests");
