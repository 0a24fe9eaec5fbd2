//! One proxy takes the place of another without closing a socket.
//!
//! The running proxy waits at a Unix socket. Its successor connects there and gets the listening
//! sockets (`SCM_RIGHTS`), so that connections which arrive meanwhile wait in the system's queue.
//! When the successor accepts connections it says so, and the old proxy stops.

use std::fs;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::net::UnixListener;

use super::listening::Listening;
use super::shown_path::shown;
use super::unix_socket;

/// How many sockets the system passes at once.
const MOST: usize = 250;

/// How many successors may wait to be accepted.
const BACKLOG: u32 = 128;

/// The mode of the socket: none but the same user, and root, gets anything there.
const MODE: u32 = 0o600;

/// How long to wait if no successor can be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// What the successor says when it accepts connections.
const READY: u8 = b'r';

/// What a proxy that starts will offer to its successor.
///
/// The socket at which a successor asks has no name that is known yet. So a proxy that fails to
/// start, or is killed, does not take the name from its predecessor, which may be asked again.
#[derive(Debug)]
pub(crate) struct Offer {
    published: Published,
    /// After the socket, so that it is removed when nobody listens there any more.
    bound: Unpublished,
    path: PathBuf,
}

/// The file of the socket for as long as it is not published.
#[derive(Debug)]
struct Unpublished(PathBuf);

impl Drop for Unpublished {
    fn drop(&mut self) {
        unix_socket::remove_unused(&self.0);
    }
}

impl Offer {
    /// Opens the socket beside `path`, for copies of these listening sockets. One that a proxy has
    /// left there that was killed when it started is replaced.
    pub(crate) fn prepare<'a>(
        path: &Path,
        sockets: impl Iterator<Item = &'a Listening>,
    ) -> io::Result<Self> {
        refuse_other_file(path)?;
        let sockets = sockets.map(Listening::try_clone);
        let sockets = Arc::new(sockets.collect::<io::Result<_>>()?);
        let bound = before_it_is_ready(path);
        let at = unix_socket::open(&bound, MODE, BACKLOG).map_err(|error| {
            let at = shown(&bound);
            let problem = format!("it is first at '{at}', which cannot be used: {error}");
            io::Error::new(error.kind(), problem)
        })?;
        let bound = Unpublished(bound);
        Ok(Self {
            published: Published {
                at: UnixListener::from_std(at)?,
                sockets,
            },
            bound,
            path: path.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the socket its name. An old socket is replaced: no proxy waits there, or one that has
    /// handed over, which it does only once. Any other file is not.
    pub(crate) fn publish(self) -> io::Result<Published> {
        refuse_other_file(&self.path)?;
        fs::rename(&self.bound.0, &self.path)?;
        Ok(self.published)
    }
}

/// Where the socket for this path is until the proxy serves.
pub(crate) fn before_it_is_ready(path: &Path) -> PathBuf {
    let mut bound = path.to_owned().into_os_string();
    bound.push(".new");
    bound.into()
}

fn refuse_other_file(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() && !unix_socket::is_socket(path) {
        return Err(unix_socket::no_socket());
    }
    Ok(())
}

/// A socket at which a successor asks, and the listening sockets that it gets.
#[derive(Debug)]
pub(crate) struct Published {
    at: UnixListener,
    sockets: Arc<Vec<Listening>>,
}

impl Published {
    /// Hands the sockets to the first successor that then says that it accepts connections.
    pub(crate) async fn hand_over(self) {
        loop {
            let Ok((stream, _)) = self.at.accept().await else {
                tokio::time::sleep(PAUSE).await;
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
            let sockets = Arc::clone(&self.sockets);
            let given = tokio::task::spawn_blocking(move || give(stream, &sockets)).await;
            match given {
                Ok(Ok(true)) => return,
                Ok(Ok(false)) => {
                    log::warn!("a successor took the sockets and then failed to start");
                }
                Ok(Err(error)) => log::error!("cannot hand over the listening sockets: {error}"),
                Err(_) => {}
            }
        }
    }
}

/// Sends the sockets. Returns whether the successor then accepts connections.
fn give(mut stream: UnixStream, sockets: &[Listening]) -> io::Result<bool> {
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
        let received = recvmsg(&stream, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        if received.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let messages = ancillary.drain();
        let sockets = messages.filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        });
        Ok((Self(stream), sockets.flatten().collect()))
    }

    /// Says that this proxy accepts connections now. If the predecessor is gone by now, this proxy
    /// is the only one that has the sockets.
    pub(crate) fn ready(mut self) {
        if let Err(error) = self.0.write_all(&[READY]) {
            log::warn!("the proxy whose place this one takes has ended meanwhile: {error}");
        }
    }
}
