/// What an update changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Servers that are new.
    pub joined: usize,
    /// Servers that are gone. What they still have outstanding is returned harmlessly.
    pub left: usize,
    /// Servers that were there and keep their state.
    pub stayed: usize,
}

/// A picture of a dispatcher at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct State<K> {
    /// The servers, in an order that stays while they do.
    pub servers: Vec<ServerState<K>>,
    /// Leases out, those of servers that have left included.
    pub in_flight: u64,
    /// Requests that wait for a server.
    pub waiting: usize,
    /// Leases given so far.
    pub decisions: u64,
    /// Leases refused so far.
    pub refused: u64,
    /// Messages as PI section 4.1 counts them: one for each token and one for each queue that was looked
    /// at. Here they cost nothing: tokens travel in answers, and the queues are our own counts.
    pub messages: u64,
    /// How many more join-the-shortest-queue would have needed, which asks every server.
    pub messages_saved: u64,
    /// Where tokens came from.
    pub tokens: TokenCounts,
}

/// What became of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Sent by servers that are believed.
    pub received: u64,
    /// Inferred: a server that sends none had nothing of ours outstanding.
    pub own: u64,
    /// Presumed after [`Options::presume_idle`](crate::Options::presume_idle).
    pub presumed: u64,
    /// Sent by a server that is not believed.
    pub ignored: u64,
    /// Overtaken: by then the server had another request of ours.
    pub stale: u64,
}

/// A server at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerState<K> {
    /// What it is known by.
    pub key: K,
    /// Requests of ours that it has.
    pub outstanding: u32,
    /// Whether we hold its token.
    pub token: bool,
    /// Whether it is up.
    pub up: bool,
    /// Whether it takes requests now ([`Balancer::set_ready`](crate::Balancer::set_ready)).
    pub ready: bool,
    /// Its weight.
    pub weight: f64,
    /// Its speed as the policy sees it: requests a second if speeds are learned, otherwise the
    /// weight.
    pub speed: f64,
    /// Whether its speed comes from answers of its own.
    pub learned: bool,
    /// How many requests it may have at once.
    pub limit: Option<u32>,
    /// Whether it is believed when it says that it is idle.
    pub tokens: bool,
    /// Requests that it answered.
    pub served: u64,
    /// Requests with which it could not be reached.
    pub failed: u64,
}

impl TokenCounts {
    /// Those that became tokens.
    pub(crate) fn all(&self) -> u64 {
        self.received + self.own
    }
}
