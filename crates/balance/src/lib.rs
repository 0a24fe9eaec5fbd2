//! The dispatch policies of `filch-policy` in front of real servers.
//!
//! A [`Balancer`] knows a set of servers and decides for each request which server it goes to. It
//! does no I/O: a proxy, a client or a test asks it for a [`Lease`], sends the request, and returns
//! the lease.
//!
//! ```
//! use filch_balance::{Balancer, Options, Refused, Server, Told};
//!
//! let servers = ["a:80", "b:80"].map(|address| Server::new(address).limit(1));
//! let balancer = Balancer::new(Options::of("pi".parse()?), servers)?;
//!
//! let first = balancer.lease()?;
//! let second = balancer.lease()?;
//! assert_ne!(first.server(), second.server()); // both servers were idle
//! assert_eq!(balancer.lease().unwrap_err(), Refused::Full);
//!
//! let address = *first.server();
//! first.answered(Told::Silent);
//! assert_eq!(balancer.lease()?.server(), &address); // idle again; this lease is dropped at once
//! second.failed();
//! assert_eq!(balancer.state().in_flight, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Leases
//!
//! A lease ends exactly once, in one of four ways. [`answered`](Lease::answered): the server has
//! answered. [`failed`](Lease::failed): the server could not be reached, or broke off.
//! [`unsent`](Lease::unsent): the request was never sent. Dropped: the request was abandoned,
//! because the client left, a time-out struck or the holder panicked. Meanwhile servers may join,
//! leave, go down or get other limits; the lease of a server that has left is returned without
//! effect.
//!
//! # Tokens
//!
//! With several dispatchers none of them sees a server's whole queue, but the server does. The
//! `TokenLayer` of the feature `tower` puts a header on each answer: [`Told::Idle`] if the answer
//! leaves the server idle, [`Told::Busy`] if it does not. Such a token costs no message of its own,
//! and only the dispatcher that got the answer has it. `docs/tokens.md` explains the protocol. The
//! rules:
//!
//! * A [believed](Server::tokens) server is idle if it says so *and* has no other request of ours.
//!   Our own count alone means nothing then.
//! * If the server says nothing, or is not believed, our own count is used: the server is taken for
//!   idle when it has answered all that we sent. What an unbelieved server says is ignored and
//!   counted.
//! * A request that failed or was abandoned makes no token.
//! * A server that joins or comes up is taken for idle, as PI takes all servers at the start. So is
//!   a server that has been quiet for [`Options::presume_idle`]: a token is lost if its answer is.
//!
//! # Speeds
//!
//! `sed` and `idle-fastest(F)` decide by the speeds of servers: their weights
//! ([`Speeds::Weights`]), or what is learned from their answers ([`Speeds::Learned`]). Latency is
//! the wrong measure, because most of it may be waiting. So a sample is the time from when the
//! request was sent, *or from the server's previous answer if that came later*, to the end of the
//! answer. For a server that serves one request after the other, this is the service time, exactly,
//! as long as all its requests are ours. If they are not, only requests sent on a token surely
//! found the server idle. A believed server sends tokens because there are other dispatchers; of
//! such a server, the other samples count less, the closer the weight of the samples on a token is
//! to one. Nothing is learned from the first answer after an abandoned request.
//!
//! A speed is one over a weighted mean of the samples: each new sample lowers the weight of the
//! earlier ones by 1/32. One more sample is credited to every server: half of the typical time,
//! which is the mean over all servers. So a server without samples is taken for a fast one and is
//! tried, and one lucky sample makes no server faster than four average ones. The samples of a
//! server that answers nothing fade: by half in 30 s, or in the time of 20 requests if that is
//! longer. So a server that has been slow is tried again some minutes later, even if the others
//! could do without it. That is the price of exploring: at a low load, a slow server gets a request
//! every few minutes.
//!
//! The speed that is learned is that of one request at a time. If servers differ in how many
//! requests they serve at once, configure weights.

mod answer_number;
mod balancer;
mod clock;
mod core;
mod lease;
#[cfg(feature = "tower")]
mod middleware;
mod options;
mod outcome;
mod poison;
#[cfg(feature = "proxy")]
pub mod proxy;
mod refused;
mod samples;
mod server;
mod state;
mod told;
mod wait;

#[cfg(feature = "trial")]
pub mod trial;

pub use answer_number::AnswerNumber;
pub use balancer::Balancer;
pub use clock::Clock;
pub use lease::Lease;
#[cfg(feature = "tower")]
pub use middleware::{
    Balance, CountedBody, LeasedBody, Sending, Serving, TokenLayer, TokenService,
};
pub use options::{Options, Speeds};
pub use outcome::{Outcome, Outcomes};
pub use refused::Refused;
pub use samples::Samples;
pub use server::{Server, Unfit, UnfitServer};
pub use state::{ServerState, State, TokenCounts, UpdateCounts};
pub use told::{TOKEN_HEADER, Told};
pub use wait::Wait;
