use std::collections::hash_map::RandomState;
use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use filch_policy::dispatch::Spec;
use filch_random::Seed;

use crate::Clock;

/// How a [`Balancer`](crate::Balancer) decides.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where a request goes: any policy of `filch policies`. `idle-fastest(sed)` by default.
    pub policy: Spec,
    /// Where the speeds come from that `sed` and `idle-fastest(F)` decide by.
    pub speeds: Speeds,
    /// What ties and samples are drawn from. Random by default: dispatchers in front of the same
    /// servers must not draw alike.
    pub seed: Seed,
    /// A server to which we have sent nothing for so long, and of which we hold no token, is presumed
    /// idle: a token can get lost, and a server that nobody believes idle would get nothing more from
    /// a quiet dispatcher. Ten seconds by default; `None` waits for ever.
    pub presume_idle: Option<Duration>,
    /// What time it is.
    pub clock: Clock,
}

/// Where the speeds of servers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speeds {
    /// From the answers, as [told here](crate#speeds). A weight is the first guess.
    Learned,
    /// From the weights alone.
    Weights,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: "idle-fastest(sed)".parse().expect("a policy of the list"),
            speeds: Speeds::Learned,
            seed: Seed::new(RandomState::new().build_hasher().finish()),
            presume_idle: Some(Duration::from_secs(10)),
            clock: Clock::system(),
        }
    }
}

impl Options {
    /// The defaults with another policy.
    pub fn of(policy: Spec) -> Self {
        Self {
            policy,
            ..Self::default()
        }
    }
}

/// A server, as it is configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Server<K> {
    /// What it is known by: an address, a name, a number.
    pub key: K,
    /// How fast it is, relative to the others; 1 if nothing is said.
    pub weight: Option<f64>,
    /// How many requests it may have outstanding from here; as many as come if nothing is said.
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

/// Why a list of servers is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartError {
    /// Which server of the list, counted from 0.
    pub server: usize,
    /// What is wrong with it.
    pub unfit: Unfit,
}

/// What is wrong with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// A weight is finite and above 0.
    Weight,
    /// A limit is at least 1.
    Limit,
    /// Each key is there once.
    Twice,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.unfit {
            Unfit::Weight => "has a weight that is not a finite number above 0: use one such as 1",
            Unfit::Limit => "has the limit 0: use at least 1, or take the server out",
            Unfit::Twice => "is there twice: list each server once",
        };
        write!(f, "server {} of the list {what}", self.server + 1)
    }
}

impl Error for StartError {}
