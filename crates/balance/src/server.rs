use std::error::Error;
use std::fmt;

/// A server, as it is configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Server<K> {
    /// The key that it is known by: an address, a name, a number.
    pub key: K,
    /// How fast it is, relative to the others; 1 if there is none.
    pub weight: Option<f64>,
    /// How many requests it may have outstanding from here; any number if there is none.
    pub limit: Option<u32>,
    /// Whether it is believed when it says that it is idle: see [tokens](crate#tokens).
    pub tokens: bool,
}

impl<K> Server<K> {
    /// A server without weight and limit that is not believed.
    pub fn new(key: K) -> Self {
        Self {
            key,
            weight: None,
            limit: None,
            tokens: false,
        }
    }

    /// With a weight.
    #[must_use]
    pub fn weight(self, weight: f64) -> Self {
        Self {
            weight: Some(weight),
            ..self
        }
    }

    /// With a limit.
    #[must_use]
    pub fn limit(self, limit: u32) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }

    /// Believed when it says that it is idle.
    #[must_use]
    pub fn tokens(self) -> Self {
        Self {
            tokens: true,
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<(), Unfit> {
        match (self.weight, self.limit) {
            (Some(weight), _) if !(weight > 0.0 && weight.is_finite()) => Err(Unfit::Weight),
            (_, Some(0)) => Err(Unfit::Limit),
            _ => Ok(()),
        }
    }
}

/// A server because of which a list of servers is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfitServer {
    /// Its position in the list, counted from 0.
    pub server: usize,
    /// What is wrong with it.
    pub unfit: Unfit,
}

/// What is wrong with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Its weight is not a finite number above 0.
    Weight,
    /// Its limit is 0.
    Limit,
    /// Its key is in the list twice.
    Twice,
}

impl fmt::Display for UnfitServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.unfit {
            Unfit::Weight => "has a weight that is not a finite number above 0: use one such as 1",
            Unfit::Limit => "has the limit 0: use at least 1, or take the server out",
            Unfit::Twice => "is there twice: list each server once",
        };
        write!(f, "server {} of the list {what}", self.server + 1)
    }
}

impl Error for UnfitServer {}
