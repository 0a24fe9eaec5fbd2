use std::fmt;
use std::io;
use std::sync::Mutex;
use std::time::Instant;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::time::sleep_until;

use super::connections::ClientStream;
use super::request_context::RequestContext;
use super::servers::{ServerClock, ServerStream};
use crate::poison::unpoisoned;

/// How many bytes are passed on at once.
const PART: usize = 16 * 1024;

/// A connection after both sides have agreed on another protocol: bytes are passed on as they come.
///
/// The request holds its server as long as the tunnel lasts. Its length says nothing about the
/// server's speed, so that nothing is learned from it.
pub(crate) struct Tunnel {
    pub(crate) server: ServerStream,
    /// What the server has sent after its answer.
    pub(crate) first: Bytes,
    pub(crate) clock: ServerClock,
    pub(crate) context: Box<RequestContext>,
}

impl Tunnel {
    /// Passes bytes on in both directions until one side closes, or both have been silent for too
    /// long. The client has sent `first` already.
    pub(crate) async fn run(mut self: Box<Self>, client: Box<ClientStream>, first: Bytes) {
        let silent_since = Mutex::new(Instant::now());
        let mut sent = 0;
        {
            let (from_client, to_client) = split(client);
            let (from_server, to_server) = split(&mut self.server);
            let mut nothing = 0;
            tokio::select! {
                _ = pass_on(from_server, to_client, &self.first, &silent_since, &mut sent) => {}
                _ = pass_on(from_client, to_server, &first, &silent_since, &mut nothing) => {}
                () = is_silent(&silent_since, self.clock) => {}
            }
        }
        self.context.bytes += sent;
        self.context.over = Some(Instant::now());
    }
}

/// Passes on `first` and then all that comes, and counts it.
async fn pass_on(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    first: &[u8],
    silent_since: &Mutex<Instant>,
    passed: &mut u64,
) -> io::Result<()> {
    to.write_all(first).await?;
    to.flush().await?;
    *passed += first.len() as u64;
    let mut part = vec![0; PART];
    loop {
        let size = from.read(&mut part).await?;
        if size == 0 {
            return to.shutdown().await;
        }
        *unpoisoned(silent_since.lock()) = Instant::now();
        to.write_all(&part[..size]).await?;
        to.flush().await?;
        *passed += size as u64;
    }
}

/// Waits until neither side has sent anything for too long.
async fn is_silent(since: &Mutex<Instant>, clock: ServerClock) {
    loop {
        let until = clock.until(*unpoisoned(since.lock()));
        if until <= Instant::now() {
            return;
        }
        sleep_until(until.into()).await;
    }
}

impl fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tunnel").finish_non_exhaustive()
    }
}
