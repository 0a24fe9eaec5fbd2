use std::io;
use std::net::SocketAddr;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

use pingora_core::server::{Fds, ListenFds};
use tokio::net::TcpSocket;

/// How many connections may wait to be accepted, if the system allows it.
const BACKLOG: u32 = 65_535;

/// Open sockets, by address.
///
/// They are opened here and handed to Pingora, which panics if it cannot open one itself: an
/// address that is in use is an ordinary error.
pub(crate) struct Sockets(Fds);

impl Sockets {
    pub(crate) fn new() -> Self {
        Self(Fds::new())
    }

    /// Opens a socket and returns its address, in which port 0 is replaced.
    pub(crate) fn open(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let descriptor = listener.into_std()?.into_raw_fd();
        self.0.add(address.to_string(), descriptor);
        Ok(address)
    }

    /// The form in which Pingora takes them.
    pub(crate) fn into_shared(self) -> ListenFds {
        Arc::new(self.0.into())
    }
}
