use std::fmt;
use std::io;

use super::config::{Address, ConfigError};

/// Why a proxy did not start.
#[derive(Debug)]
pub enum ProxyStartError {
    /// The configuration cannot be used.
    Config(ConfigError),
    /// The proxy cannot listen at an address.
    Address(Address, io::Error),
    /// The access log cannot be opened.
    Log(io::Error),
    /// Something else is wrong: a certificate, a key, a policy.
    Other(String),
}

impl fmt::Display for ProxyStartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Address(address, error) => write!(f, "cannot listen at {address}: {error}"),
            Self::Log(error) => write!(f, "cannot open the access log: {error}"),
            Self::Other(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for ProxyStartError {}
