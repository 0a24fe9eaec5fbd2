use std::net::SocketAddr;

use filch_policy::dispatch::Spec;

/// Which proxy a child process is, and in front of which servers.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Served {
    /// filch with this policy
    #[arg(long, required_unless_present = "peer")]
    pub(crate) policy: Option<Spec>,
    /// Or another balancer
    #[arg(long, value_enum)]
    pub(crate) peer: Option<Peer>,
    /// How many dispatchers, each on its own port and without knowledge of the others
    #[arg(long, default_value_t = 1)]
    pub(crate) dispatchers: usize,
    /// Speeds come from the weights
    #[arg(long)]
    pub(crate) weights: bool,
    /// The servers
    #[arg(long, value_delimiter = ',')]
    pub(crate) servers: Vec<SocketAddr>,
    /// Their weights
    #[arg(long, value_delimiter = ',')]
    pub(crate) weight: Vec<f64>,
}

/// A balancer that is not ours.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Peer {
    /// tower's two choices.
    Tower,
    /// Pingora's own, by turns.
    PingoraRoundRobin,
    /// Pingora's own, at random.
    PingoraRandom,
}
