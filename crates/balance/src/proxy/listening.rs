use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;

use rustix::net::{AddressFamily, getsockname};

use super::client_address::ClientAddress;
use super::config::Address;
use super::socket::Socket;

/// A socket at which connections arrive.
#[derive(Debug)]
pub(crate) enum Listening {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listening {
    /// What another process has opened.
    pub(crate) fn of(socket: OwnedFd) -> io::Result<Self> {
        Ok(
            if getsockname(&socket)?.address_family() == AddressFamily::UNIX {
                Self::Unix(socket.into())
            } else {
                Self::Tcp(socket.into())
            },
        )
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(listener) => Self::Tcp(listener.try_clone()?),
            Self::Unix(listener) => Self::Unix(listener.try_clone()?),
        })
    }

    pub(crate) fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => listener.set_nonblocking(true),
            Self::Unix(listener) => listener.set_nonblocking(true),
        }
    }

    /// Where it is, if it has an address.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Ip),
            Self::Unix(listener) => {
                let address = listener.local_addr()?;
                let path = address
                    .as_pathname()
                    .ok_or(io::ErrorKind::AddrNotAvailable)?;
                Ok(Address::Unix(path.into()))
            }
        }
    }

    /// Waits here from now on, on the current runtime.
    pub(crate) fn into_tokio(self) -> io::Result<Accepting> {
        Ok(match self {
            Self::Tcp(listener) => Accepting::Tcp(tokio::net::TcpListener::from_std(listener)?),
            Self::Unix(listener) => Accepting::Unix(tokio::net::UnixListener::from_std(listener)?),
        })
    }
}

impl AsFd for Listening {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener) => listener.as_fd(),
        }
    }
}

/// A socket whose connections one worker accepts.
#[derive(Debug)]
pub(crate) enum Accepting {
    Tcp(tokio::net::TcpListener),
    Unix(tokio::net::UnixListener),
}

impl Accepting {
    /// The next connection, and where it is from.
    pub(crate) async fn accept(&self) -> io::Result<(Socket, ClientAddress)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                Ok((Socket::Tcp(stream), from.into()))
            }
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Socket::Unix(stream), ClientAddress::Unix))
            }
        }
    }
}
