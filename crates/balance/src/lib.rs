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
//! A lease ends exactly once, in one of four ways. [`answered`](Lease::answered) or, with its
//! outcome, [`ended`](Lease::ended): the server has answered. [`failed`](Lease::failed): the server
//! could not be reached, or broke off. [`unsent`](Lease::unsent): the request was never sent.
//! Dropped: the request was abandoned, because the client left, a time-out struck or the holder
//! panicked. Meanwhile servers may join, leave, go down or get other limits; the lease of a server
//! that has left is returned without effect.
//!
//! # Tokens
//!
//! With several dispatchers none of them sees a server's whole queue, but the server does. The
//! `TokenLayer` of the feature `tower` puts a header on each answer: [`Told::Idle`] if the answer
//! leaves the server idle, [`Told::Busy`] if it does not. Such a token costs no message of its own,
//! and only the dispatcher that got the answer has it. `docs/tokens.md` explains the protocol. The
//! rules:
//!
//! * A [believed](Server::tokens) server is idle if its *newest* word says so and it has no other
//!   request of ours. Answers have numbers, because they may overtake one another. Our own count
//!   alone means nothing then.
//! * If the server says nothing, or is not believed, our own count is used: the server is taken for
//!   idle when it has answered all that we sent. What an unbelieved server says is ignored and
//!   counted.
//! * A request that failed or was abandoned makes no token.
//! * A server that joins or comes up is taken for idle, as PI takes all servers at the start. So is
//!   a server that has been quiet for [`Options::presume_idle`]: a token is lost if its answer is.
//!
//! # Speeds
//!
//! `considerate`, `sed` and `idle-fastest(F)` decide by the speeds of servers: their weights
//! ([`Speeds::Weights`]), or what is learned from their answers ([`Speeds::Learned`]). Latency is
//! the wrong measure, because most of it may be waiting. Two things are learned of each server.
//!
//! **How many requests it serves at a time**, c. A request that finds q others of ours there takes
//! max(1, (q + 1) / c) service times on average. Of c = 1, 2, 4 … 128 the one is chosen under which
//! the latencies of the last thousand requests are most likely; each doubling has to earn a quarter
//! in log-likelihood. A server that never has two requests of ours counts as serving one at a time.
//!
//! **How long one request takes by itself**, S. A sample is the time since the server's previous
//! answer, counted once for each place in service that was busy: the integral of min(outstanding,
//! c). Each service adds exactly its own length to that integral, so its sum over answers is the
//! sum of service times, for any law of service times and any load (the utilization law, Denning
//! and Buzen 1978). With c = 1 it is the time from when the request was sent, or from the previous
//! answer if that came later. A request sent on a token found the server idle, so its latency is a
//! sample by itself. A believed server may have other dispatchers' requests; of such a server the
//! other samples count less, the more often an answer leaves it busy with those. Nothing is learned
//! from the first answer after an abandoned request.
//!
//! A speed is one over a weighted mean of the samples: each new sample lowers the weight of the
//! earlier ones by 1/32. One more sample is credited to every server: half of the typical time,
//! which is the mean over all servers. So a server without samples is taken for a fast one and is
//! tried, and one lucky sample makes no server faster than four average ones. The samples of a
//! server that answers nothing fade: by half in 30 s, or in the time of 20 requests if that is
//! longer.
//!
//! # Errors
//!
//! What an answer teaches depends on its [`Outcome`], by status ([`Options::outcomes`]): 5xx are
//! failures unless you say otherwise, and so is a lease that [`failed`](Lease::failed). No speed is
//! learned from a failure: it may be fast because nothing was done. A server whose failures among
//! its last 16 requests are well above those of the others (by two requests and two standard
//! deviations) gets in proportion fewer of the requests that the policy gives it, and at the least
//! one after every ten equal shares, so that its recovery is seen ([`ServerState::trust`]). That
//! holds for every policy that names the server; failures that all servers share change nothing.
//!
//! # Exploration
//!
//! One request in 64 to 512 may go to a server that has got nothing for a second, the next one in
//! turn, whatever the policy says: it may have been slow and be fast again. The slower the server
//! is taken to be, the more requests pass until the next such probe, so that all of them add at
//! most 2 % to the service time. A probe that is due goes first to a server that no dispatcher
//! uses, as the numbers of answers tell, and after 64 more requests to any. A slow server that is
//! new, or was faster not long ago, gets one request in 64. Such servers share these, but none lets
//! more than 256 requests pass. A server that joins or comes up starts slowly, with one request and
//! one more at a time for each good answer. All of it holds for policies that use speeds or tokens,
//! if speeds are learned. Under policies that go by tokens alone, probes go to all quiet servers in
//! turn.
//!
//! # The default
//!
//! `considerate` has the least regret of all policies over the scenarios of `docs/proxies.md`,
//! which has the table. Do *not* use it
//!
//! * with eight or more dispatchers near full load: `idle-fastest(sed)` with tokens is better
//!   there;
//! * for equal servers behind one dispatcher: `jsq` is as good and learns nothing that could be
//!   wrong;
//! * for servers that serve dozens of requests at a time and never fill up: `jsq`, or weights;
//! * where requests differ a hundredfold in length: see the table, no policy here knows lengths.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer_number;
mod balancer;
mod board;
mod clock;
mod core;
mod lease;
#[cfg(feature = "tower")]
mod middleware;
mod options;
mod outcome;
#[cfg(any(feature = "proxy", feature = "trial"))]
mod poison;
#[cfg(all(feature = "proxy", unix))]
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
pub use core::{LeaseEnd, Sent};
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
