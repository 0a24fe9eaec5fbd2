use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;

use listenfd::ListenFd;
use tokio::net::TcpSocket;

use super::config::Address;
use super::listening::Listening;
use super::unix_socket;

/// How many connections may wait to be accepted, if the system allows it.
const BACKLOG: u32 = 65_535;

/// Listening sockets that another process has opened: systemd, by the protocol of `LISTEN_FDS`, or
/// a proxy that hands its sockets over.
#[derive(Debug, Default)]
pub(crate) struct Sockets(Vec<Listening>);

impl Sockets {
    /// The sockets that systemd passed to this process.
    pub(crate) fn from_environment() -> Self {
        let mut passed = ListenFd::from_env();
        let listeners = (0..passed.len()).filter_map(|place| {
            if let Ok(Some(listener)) = passed.take_tcp_listener(place) {
                return Some(Listening::Tcp(listener));
            }
            let listener = passed.take_unix_listener(place).ok()?;
            listener.map(Listening::Unix)
        });
        Self(listeners.collect())
    }

    /// These sockets, which were received from another proxy.
    pub(crate) fn received(sockets: Vec<OwnedFd>) -> Self {
        let listeners = sockets.into_iter().map(Listening::of);
        Self(listeners.filter_map(Result::ok).collect())
    }

    /// The socket with this address, or a new one. Port 0 means any port. A new Unix socket has
    /// this mode.
    pub(crate) fn open(&mut self, address: &Address, mode: u32) -> io::Result<Listening> {
        let fits = |socket: &Listening| {
            socket.address().is_ok_and(|own| match (&own, address) {
                (Address::Ip(own), Address::Ip(address)) => {
                    own.ip() == address.ip()
                        && (address.port() == 0 || own.port() == address.port())
                }
                _ => own.resolved() == address.resolved(),
            })
        };
        match self.0.iter().position(fits) {
            Some(place) => {
                let socket = self.0.remove(place);
                socket.set_nonblocking()?;
                Ok(socket)
            }
            None => match address {
                Address::Ip(address) => open(*address).map(Listening::Tcp),
                Address::Unix(path) => unix_socket::open(path, mode, BACKLOG).map(Listening::Unix),
            },
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
