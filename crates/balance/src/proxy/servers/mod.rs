//! Servers, and the connections to them.
//!
//! | file | what it holds |
//! |---|---|
//! | `upstream` | a server as one configuration describes it |
//! | `connector`, `server_stream` | how a connection is made, and what it is for hyper |
//! | `http1_connection`, `http2_connection` | a request and its answer on a connection |
//! | `pool` | connections that wait for their next request |
//! | `server_clock` | how long a server may take |

mod connector;
mod http1_connection;
mod http2_connection;
mod pool;
mod server_clock;
mod server_stream;
mod upstream;

pub(crate) use connector::Connector;
pub(crate) use http1_connection::Http1Connection;
pub(crate) use http2_connection::Http2Stream;
pub(crate) use pool::Pool;
pub(crate) use server_clock::ServerClock;
pub(crate) use server_stream::ServerStream;
pub(crate) use upstream::Upstream;

use http::Request;

use super::failure::Failure;
use super::request_body::RequestBody;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NotAnswered {
    /// The connection had ended. Nothing of the request was sent, so that it can be sent elsewhere.
    Unsent(Box<Request<RequestBody>>),
    /// The server may have got a part of the request.
    Failed(Failure),
}
