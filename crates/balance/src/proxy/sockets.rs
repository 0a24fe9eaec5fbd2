use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;

use listenfd::ListenFd;
use tokio::net::TcpSocket;

/// How many connections may wait to be accepted, if the system allows it.
const BACKLOG: u32 = 65_535;

/// Listening sockets that another process has opened: systemd, by the protocol of `LISTEN_FDS`, or
/// a proxy that hands its sockets over.
#[derive(Debug, Default)]
pub(crate) struct Sockets(Vec<TcpListener>);

impl Sockets {
    /// The sockets that systemd passed to this process.
    pub(crate) fn from_environment() -> Self {
        let mut passed = ListenFd::from_env();
        let all = 0..passed.len();
        let listeners = all.filter_map(|place| passed.take_tcp_listener(place).ok().flatten());
        Self(listeners.collect())
    }

    /// These sockets, which were received from another proxy.
    pub(crate) fn received(sockets: Vec<OwnedFd>) -> Self {
        Self(sockets.into_iter().map(TcpListener::from).collect())
    }

    /// The socket with this address, or a new one. Port 0 means any port.
    pub(crate) fn open(&mut self, address: SocketAddr) -> io::Result<TcpListener> {
        let fits = |socket: &TcpListener| {
            socket.local_addr().is_ok_and(|own| {
                own.ip() == address.ip() && (address.port() == 0 || own.port() == address.port())
            })
        };
        match self.0.iter().position(fits) {
            Some(place) => {
                let socket = self.0.remove(place);
                socket.set_nonblocking(true)?;
                Ok(socket)
            }
            None => open(address),
        }
    }
}

fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}
