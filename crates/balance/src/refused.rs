use std::error::Error;
use std::fmt;

/// Why no server can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are no servers.
    NoServers,
    /// No server is up.
    AllDown,
    /// Every server that is up is at its limit or not ready.
    Full,
    /// Every server that could take the request has been tried.
    AllTried,
    /// As many requests wait as may wait ([`Wait::at_most`](crate::Wait::at_most)).
    QueueFull,
    /// The dispatcher accepts no waiters any more ([`Balancer::close`](crate::Balancer::close)).
    Closed,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoServers => "there are no servers",
            Self::AllDown => "all servers are down",
            Self::Full => "all servers are full",
            Self::AllTried => "all servers have been tried",
            Self::QueueFull => "the queue is full",
            Self::Closed => "the dispatcher is closed",
        })
    }
}

impl Error for Refused {}
