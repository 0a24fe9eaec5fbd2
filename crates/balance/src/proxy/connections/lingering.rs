use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::open_connections::OpenConnection;
use crate::proxy::transport::Transport;

/// How long a client may be silent while it reads the last answer.
const SILENCE: Duration = Duration::from_secs(1);

/// What a client may still send, to be thrown away, while it reads the last answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub(super) time: Duration,
    pub(super) bytes: u64,
}

/// A transport that does not cut off its last answer.
///
/// If a socket is closed while bytes of the client's are unread, the system sends a reset, and the
/// client may lose an answer that it has not read yet. So for a while what is left is read and
/// thrown away.
#[derive(Debug)]
pub(super) struct Lingering {
    /// Present until it is dropped.
    inside: Option<(Transport, OpenConnection)>,
    /// What is read of what is left.
    linger: Option<Rest>,
}

impl Lingering {
    pub(super) fn new(transport: Transport, open: OpenConnection) -> Self {
        Self {
            inside: Some((transport, open)),
            linger: None,
        }
    }

    pub(super) fn pin(&mut self) -> Pin<&mut Transport> {
        let (transport, _) = self
            .inside
            .as_mut()
            .expect("it is present until it is dropped");
        Pin::new(transport)
    }

    /// Says how much to read of what the client may have sent, and still sends. `None`: nothing.
    pub(super) fn linger(&mut self, linger: Option<Rest>) {
        self.linger = linger;
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        if let (Some(most), Some((mut transport, open)), Ok(runtime)) =
            (self.linger, self.inside.take(), Handle::try_current())
        {
            runtime.spawn(async move {
                let last = async {
                    let _ = transport.shutdown().await;
                    let (mut rest, mut bytes) = ([0; 4096], 0);
                    while bytes <= most.bytes
                        && let Ok(Ok(read @ 1..)) =
                            timeout(SILENCE, transport.read(&mut rest)).await
                    {
                        bytes += read as u64;
                    }
                };
                let _ = timeout(most.time, last).await;
                drop(open);
            });
        }
    }
}
