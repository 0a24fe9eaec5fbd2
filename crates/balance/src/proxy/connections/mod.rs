//! The connections of clients: from the listener to the request, and back.
//!
//! hyper could do this too, but it keeps a buffer of 8 KiB and its state for each connection that
//! is idle, and has no limit on the time between requests. Here an idle connection waits without
//! any. Its next head is read, within limits on time and size, before hyper hears of the request.
//! After the answer hyper returns the connection.
//!
//! | file | what it holds |
//! |---|---|
//! | `acceptor`, `failed_handshake` | accepts, or turns away, and begins TLS |
//! | `named_client` | which client a connection is from, if a load balancer says it |
//! | `front` | what all connections of a worker share |
//! | `http1`, `next_request`, `head`, `turn` | the requests of a connection, and the wait for each |
//! | `http2`, `stream_progress` | the requests of a connection with HTTP/2 |
//! | `client_stream`, `lingering` | the connection as hyper sees it |
//! | `request_end`, `chunks` | where a request ends |
//! | `open_connections` | how many there are |
//! | `draining` | how they end when the proxy stops |

mod acceptor;
mod chunks;
mod client_stream;
mod draining;
mod failed_handshake;
mod front;
mod head;
mod http1;
mod http2;
mod lingering;
mod named_client;
mod next_request;
mod open_connections;
mod request_end;
mod stream_progress;
mod turn;

pub(crate) use acceptor::Acceptor;
pub(crate) use client_stream::ClientStream;
pub(crate) use draining::Draining;
pub(crate) use failed_handshake::FailedHandshake;
pub(crate) use front::Front;
pub(crate) use open_connections::OpenConnections;
pub(crate) use stream_progress::StreamProgress;
pub(crate) use turn::Turn;
