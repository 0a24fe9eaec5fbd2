//! Pure decisions: the rules of filch, written once and used everywhere.
//!
//! Distributing work comes down to two questions, one for each end of a queue that is too long:
//!
//! * [`steal`]: a processor without work sends a request to another. *Which one* does it ask, and
//!   *how many* of its jobs does the victim give away? (BFG03, BL99)
//! * [`dispatch`]: a batch of jobs arrives in front of many servers. *Where* does it go, when all
//!   that the dispatcher hears is which servers fell idle? (PI)
//!
//! The simulator asks these questions in virtual time, the thread pool with real threads, the proxy
//! with real requests. All of them get their answers here. So a decision knows nothing of its
//! surroundings: this crate has no clock, no thread, no socket and no random generator (one is
//! passed in), and nothing is allocated while a batch is routed.
//!
//! ```
//! use filch_policy::dispatch::{Assignment, Dispatch, Spec, View};
//! use filch_random::{Purpose, Seed};
//!
//! let mut rng = Seed::new(1).stream(Purpose::named("routing"), 0, 0);
//!
//! // PI section 4: three servers with queues 1, 2 and 4, and a batch of three jobs.
//! let queues = [1, 2, 4];
//! let view = View::of_queues(&queues);
//! let jsq: Spec = "jsq".parse()?;
//! let mut dispatcher = jsq.start(&view)?;
//!
//! let mut batch = Assignment::over(3);
//! dispatcher.split(3, &view, &mut rng, &mut batch);
//! let after: Vec<u32> = (0..3).map(|server| queues[server] + batch.jobs(server)).collect();
//! assert_eq!(after, [3, 3, 4]);
//! assert_eq!(dispatcher.messages(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Policies have names that users type and reports print. `filch policies` lists them, and each is
//! parsed from and printed to its name here. A policy of one's own implements
//! [`dispatch::Dispatch`] or [`steal::Steal`]; `filch-sim` simulates it.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod name;

pub mod dispatch;
pub mod steal;

pub use name::{Description, ParseError};
