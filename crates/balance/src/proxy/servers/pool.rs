use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::connector::Connector;
use super::http1_connection::Http1Connection;
use super::http2_connection::{Http2Connection, Http2Stream};
use crate::poison::unpoisoned;
use crate::proxy::config::Address;
use crate::proxy::failure::Failure;

/// How many unused connections one worker keeps to one server.
const KEPT: usize = 256;

/// The connections of one worker to one server that wait for requests.
///
/// A connection stays with its worker, whose thread alone takes connections from here and returns
/// them. So the locks are free, but for a reload that drops the server.
#[derive(Default)]
pub(crate) struct Pool {
    /// The one that was used last is at the end, and is used next.
    #[expect(clippy::vec_box, reason = "they go from here to requests and back")]
    http1: Mutex<Vec<Box<Http1Connection>>>,
    http2: Mutex<Vec<Http2Connection>>,
    /// Held while a connection with HTTP/2 is made, which the requests that wait can share.
    connecting: tokio::sync::Mutex<()>,
}

impl Pool {
    /// A connection to this address that has been kept.
    pub(crate) fn take(&self, address: &Address) -> Option<Box<Http1Connection>> {
        let mut kept = unpoisoned(self.http1.lock());
        while let Some(connection) = kept.pop() {
            if connection.address() == address {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection for the next request, if it can have one. Its last answer has ended now.
    pub(crate) fn keep(&self, mut connection: Box<Http1Connection>, now: Instant) {
        if connection.can_be_kept(now) {
            let mut kept = unpoisoned(self.http1.lock());
            if kept.len() < KEPT {
                kept.push(connection);
            }
        }
    }

    /// A place on a connection with HTTP/2 to this address, which is made within `time` if need be.
    pub(crate) async fn stream(
        &self,
        connector: &Connector,
        address: &Address,
        time: Duration,
        write: Duration,
    ) -> Result<Http2Stream, Failure> {
        if let Some(stream) = self.free_stream(address) {
            return Ok(stream);
        }
        let _connecting = self.connecting.lock().await;
        if let Some(stream) = self.free_stream(address) {
            return Ok(stream);
        }
        let stream = connector.connect(address, time, write).await?;
        let mut connection = Http2Connection::new(stream, address.clone()).await?;
        let stream = connection.stream().ok_or(Failure::Broken(None))?;
        unpoisoned(self.http2.lock()).push(connection);
        Ok(stream)
    }

    fn free_stream(&self, address: &Address) -> Option<Http2Stream> {
        let mut kept = unpoisoned(self.http2.lock());
        kept.retain(|connection| connection.address() == address && !connection.is_closed());
        kept.iter_mut().find_map(Http2Connection::stream)
    }

    /// Closes connections that have been unused for `idle`, or that the server has closed.
    pub(crate) fn sweep(&self, idle: Duration) {
        unpoisoned(self.http1.lock())
            .retain_mut(|it| it.idle_since().elapsed() < idle && it.is_alive());
        unpoisoned(self.http2.lock()).retain(|it| {
            let unused = it.idle_since().is_some_and(|since| since.elapsed() >= idle);
            !unused && !it.is_closed()
        });
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}
