use core::fmt;

use super::{Needs, Spec};

/// Why a policy cannot work in front of these servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// There are no servers, or fewer than the policy wants to sample.
    TooFewServers {
        /// The policy.
        policy: Spec,
        /// How many it needs.
        least: usize,
        /// How many there are.
        servers: usize,
    },
    /// The policy decides by something that is not known here.
    CannotSee {
        /// The policy.
        policy: Spec,
        /// What it would have to know.
        lacks: Needs,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewServers {
                policy, least: 1, ..
            } => {
                write!(
                    f,
                    "policy '{policy}' has no servers to send to: give it at least 1"
                )
            }
            Self::TooFewServers {
                policy,
                least,
                servers,
            } => write!(
                f,
                "policy '{policy}' needs at least {least} servers, but there are {servers}: sample fewer or add servers"
            ),
            Self::CannotSee { policy, lacks } => {
                let unseen = match (lacks.queues, lacks.speeds) {
                    (true, true) => "queue lengths and speeds",
                    (true, false) => "queue lengths",
                    (false, _) => "the speeds of servers",
                };
                write!(
                    f,
                    "policy '{policy}' decides by {unseen}, which are not known here: use one that does not, such as pi"
                )
            }
        }
    }
}

impl core::error::Error for StartError {}
