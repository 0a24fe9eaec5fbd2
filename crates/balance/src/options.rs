use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use filch_policy::dispatch::Spec;
use filch_random::Seed;

use crate::{Clock, Outcomes};

/// How a [`Balancer`](crate::Balancer) decides.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where a request goes: any policy of `filch policies`. `considerate` by default, which [a
    /// tournament](crate#the-default) has chosen.
    pub policy: Spec,
    /// Where the speeds come from that `sed` and `idle-fastest(F)` use.
    pub speeds: Speeds,
    /// The seed for ties and samples. Random by default: dispatchers in front of the same servers
    /// must not draw the same numbers.
    pub seed: Seed,
    /// A server whose token we do not hold and to which we have sent nothing for this long is
    /// presumed idle. Tokens get lost, and at a low load a dispatcher would otherwise never send to
    /// such a server again. Ten seconds by default; `None` never presumes.
    pub presume_idle: Option<Duration>,
    /// What an answer's status says of the server.
    pub outcomes: Outcomes,
    /// The clock.
    pub clock: Clock,
}

/// Where the speeds of servers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speeds {
    /// From the answers, as the [crate page](crate#speeds) explains. A weight is the first guess.
    Learned,
    /// From the weights alone.
    Weights,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: "considerate".parse().expect("a policy of the list"),
            speeds: Speeds::Learned,
            seed: Seed::new(RandomState::new().build_hasher().finish()),
            presume_idle: Some(Duration::from_secs(10)),
            outcomes: Outcomes::default(),
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
