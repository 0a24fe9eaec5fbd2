//! The dispatch policies of `filch-policy` in front of real servers.
//!
//! A [`Balancer`] knows a set of servers and says for each request where it goes. It does no I/O: a
//! proxy, a client or a test asks it for a [`Lease`], sends the request, and gives the lease back.
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
//! A lease ends in one of four ways, and exactly once: [`answered`](Lease::answered), by the server;
//! [`failed`](Lease::failed), the server could not be reached; [`unsent`](Lease::unsent), we have not
//! even tried; or dropped: abandoned because a client has gone, a timeout has struck or somebody
//! panicked. Servers may come, go, go down and be given other limits meanwhile; a lease of a server that
//! has left is returned without effect.
//!
//! # Tokens
//!
//! With several dispatchers none sees a server's whole queue. A server can tell: the `TokenLayer` of
//! the feature `tower` puts a header on each answer, [`Told::Idle`] if the answer leaves the server idle and
//! [`Told::Busy`] if it does not. Such a token costs no message of its own, and only the dispatcher that
//! got the answer has it. `docs/tokens.md` tells the whole story. What counts:
//!
//! * A server that is [believed](Server::tokens) is idle if it says so *and* has nothing more of
//!   ours. Our own count alone means nothing then.
//! * If it says nothing, or is not believed, our own count stands in: it is taken for idle when it
//!   has answered all that we sent. What a server says that is not believed is ignored and counted.
//! * A request that failed or was abandoned makes no token.
//! * A server that joins or comes up is taken for idle, as PI takes all at the start. So is one
//!   that has been quiet for [`Options::presume_idle`]: tokens get lost with the answers they are on.
//!
//! # Speeds
//!
//! `sed` and `idle-fastest(F)` decide by the speeds of servers: their weights ([`Speeds::Weights`]), or what
//! their answers teach ([`Speeds::Learned`]). An answer's latency would teach the wrong thing, because most
//! of it may be waiting. So a sample is the time from when the request was sent, *or from the server's
//! previous answer if that came later*, to the end of the answer: what one request takes of a server that
//! serves one after the other, exactly, as long as all its requests are ours. If they are not, only
//! requests sent on a token are sure to have found the server empty; of believed servers, which send tokens because
//! there are other dispatchers, the other samples count the less the nearer there is to one of those. An answer after
//! an abandoned request teaches nothing.
//!
//! A speed is one over the mean of the last samples (weights fall by 1/32 from one to the next) and of one
//! more that everybody is credited with: half of what is typical here, the mean over all servers. So a server of which
//! nothing is known is taken for a fast one and tried, while one lucky sample makes nobody faster than four
//! average ones. The samples of a silent server fade (by half in 30 s, or in the time of 20 requests if that
//! is longer): one that has been slow is tried again some minutes later, even if the others could do
//! without it. Exploring costs that much: at a low load, a slow server gets a request every few minutes.
//!
//! What is learned is the speed of one request at a time. If servers differ in how many they serve at
//! once, give weights.

mod balancer;
mod clock;
mod core;
mod lease;
#[cfg(feature = "tower")]
mod middleware;
mod options;
#[cfg(feature = "proxy")]
pub mod proxy;
mod refused;
mod state;
mod told;
mod wait;

#[cfg(feature = "trial")]
pub mod trial;

pub use balancer::Balancer;
pub use clock::Clock;
pub use lease::Lease;
#[cfg(feature = "tower")]
pub use middleware::{Balance, Counted, Leased, Sending, Serving, TokenLayer, TokenService};
pub use options::{Options, Server, Speeds, StartError, Unfit};
pub use refused::Refused;
pub use state::{Change, ServerState, State, TokenCounts};
pub use told::{TOKEN_HEADER, Told};
pub use wait::Wait;
