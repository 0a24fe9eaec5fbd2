use std::error::Error;
use std::fmt;

/// Why no server can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are none.
    NoServers,
    /// None is up.
    AllDown,
    /// All that are up have as many requests as they may, or are not ready.
    Full,
    /// All that could take the request have been tried.
    AllTried,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoServers => "there are no servers",
            Self::AllDown => "all servers are down",
            Self::Full => "all servers are full",
            Self::AllTried => "all servers have been tried",
        })
    }
}

impl Error for Refused {}
