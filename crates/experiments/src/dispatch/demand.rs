//! Servers with a name, and how much arrives in front of them.

use std::error::Error;
use std::fmt;

use filch_sim::farm::Servers;
use filch_workload::{Arrivals, Invalid, Load};

/// Servers, and what to call them.
#[derive(Clone, Debug, PartialEq)]
pub struct Farm {
    /// The name in tables and files.
    pub name: String,
    /// The servers.
    pub servers: Servers,
}

/// How much arrives.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// Poisson batches that ask for this part of the total capacity.
    Load(Load),
    /// These arrivals, whatever the servers can do.
    Arrivals(Arrivals),
}

impl Demand {
    /// The batches that arrive in front of these servers.
    ///
    /// # Errors
    ///
    /// If the load asks for more jobs in a slot than arrivals can have.
    pub fn arrivals(&self, servers: &Servers) -> Result<Arrivals, TooMuch> {
        match self {
            Self::Load(load) => Arrivals::poisson(load.rate(servers.total_capacity()))
                .map_err(|why| TooMuch { load: *load, why }),
            Self::Arrivals(arrivals) => Ok(arrivals.clone()),
        }
    }

    /// What is asked of the servers as a part of what they can do, if that was said.
    pub fn load(&self) -> Option<f64> {
        match self {
            Self::Load(load) => Some(load.get()),
            Self::Arrivals(_) => None,
        }
    }
}

/// A load that asks for more jobs in a slot than arrivals can have.
#[derive(Clone, Debug, PartialEq)]
pub struct TooMuch {
    load: Load,
    why: Invalid,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a load of {} is too much: {}", self.load, self.why)
    }
}

impl Error for TooMuch {}
