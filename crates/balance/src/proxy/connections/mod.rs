//! The connections of clients: from the listener to the request, and back.
//!
//! Pingora could do this too, but it keeps 64 KiB of buffers and the state of a request for each
//! connection that is idle. Here an idle connection waits without any. Its next head is read,
//! within limits on time and size, before Pingora hears of the request. After the answer Pingora
//! returns the connection.
//!
//! | file | what it holds |
//! |---|---|
//! | `acceptor` | accepts, or turns away, and begins TLS |
//! | `front` | what all connections share |
//! | `http1`, `next_request`, `head` | the requests of a connection, and the wait for each |
//! | `client_stream`, `transport`, `lingering` | the connection as Pingora sees it |
//! | `request_end`, `chunks` | where a request ends |
//! | `open_connections` | how many there are |
//! | `draining` | how they end when the proxy stops |

mod acceptor;
mod chunks;
mod client_stream;
mod draining;
mod front;
mod head;
mod http1;
mod lingering;
mod next_request;
mod open_connections;
mod request_end;
mod transport;

pub(crate) use acceptor::Acceptor;
pub(crate) use draining::Draining;
pub(crate) use front::Front;
pub(crate) use open_connections::OpenConnections;
