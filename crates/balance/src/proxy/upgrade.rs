//! One proxy takes the place of another without closing a socket.
//!
//! The running proxy waits at a Unix socket. Its successor connects there and gets the listening
//! sockets (`SCM_RIGHTS`), so that connections which arrive meanwhile wait in the system's queue.
//! When the successor accepts connections it says so, and the old proxy stops.

use std::fs;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::net::UnixListener;

/// How many sockets the system passes at once.
const MOST: usize = 250;

/// What the successor says when it accepts connections.
const READY: u8 = b'r';

/// Opens the socket at which a successor asks. An old one, at which no proxy waits, is replaced.
pub(crate) fn open(path: &Path) -> io::Result<UnixListener> {
    // The predecessor no longer needs the name, since it hands over only once.
    if fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket()) {
        fs::remove_file(path)?;
    }
    UnixListener::bind(path)
}

/// Hands `sockets` to the first successor that then says that it accepts connections.
pub(crate) async fn hand_over(at: UnixListener, sockets: Vec<TcpListener>) {
    let sockets = std::sync::Arc::new(sockets);
    loop {
        let Ok((stream, _)) = at.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        let own = rustix::process::geteuid().as_raw();
        let allowed = stream
            .peer_cred()
            .is_ok_and(|it| it.uid() == own || it.uid() == 0);
        let Ok(stream) = stream.into_std() else {
            continue;
        };
        if !allowed {
            log::warn!("another user asked for the listening sockets");
            continue;
        }
        let sockets = std::sync::Arc::clone(&sockets);
        let given = tokio::task::spawn_blocking(move || give(stream, &sockets)).await;
        match given {
            Ok(Ok(true)) => return,
            Ok(Ok(false)) => log::warn!("a successor took the sockets and then failed to start"),
            Ok(Err(error)) => log::error!("cannot hand over the listening sockets: {error}"),
            Err(_) => {}
        }
    }
}

/// Sends the sockets. Returns whether the successor then accepts connections.
fn give(mut stream: UnixStream, sockets: &[TcpListener]) -> io::Result<bool> {
    stream.set_nonblocking(false)?;
    let descriptors: Vec<_> = sockets.iter().take(MOST).map(|it| it.as_fd()).collect();
    let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let bytes = [IoSlice::new(b"sockets")];
    sendmsg(&stream, &bytes, &mut ancillary, SendFlags::empty())?;
    let mut said = [0];
    Ok(stream.read(&mut said)? == 1 && said[0] == READY)
}

/// A predecessor that waits until this proxy accepts connections.
#[derive(Debug)]
pub(crate) struct Predecessor(UnixStream);

impl Predecessor {
    /// Asks the proxy at this path for its sockets.
    pub(crate) fn ask(path: &Path) -> io::Result<(Self, Vec<OwnedFd>)> {
        let stream = UnixStream::connect(path)?;
        let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0; 16];
        let mut parts = [IoSliceMut::new(&mut bytes)];
        recvmsg(&stream, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        let messages = ancillary.drain();
        let sockets = messages.filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        });
        Ok((Self(stream), sockets.flatten().collect()))
    }

    /// Says that this proxy accepts connections now.
    pub(crate) fn ready(mut self) -> io::Result<()> {
        self.0.write_all(&[READY])
    }
}
