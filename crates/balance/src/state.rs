/// How an update changed the set of servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    /// Servers that are new.
    pub joined: usize,
    /// Servers that have left. Their outstanding leases are returned without effect.
    pub left: usize,
    /// Servers that were there before and keep their state.
    pub stayed: usize,
}

/// A snapshot of a dispatcher.
#[derive(Clone, Debug, PartialEq)]
pub struct State<K> {
    /// The servers. A server keeps its position for as long as it stays.
    pub servers: Vec<ServerState<K>>,
    /// Leases that are out, those of servers that have left included.
    pub in_flight: u64,
    /// Requests that wait for a server.
    pub waiting: usize,
    /// Leases given so far.
    pub decisions: u64,
    /// Leases refused so far.
    pub refused: u64,
    /// Leases given without asking the policy: another thread had the dispatcher for longer than
    /// some microseconds, and the request went to the better one of two servers.
    pub alone: u64,
    /// Messages as PI section 4.1 counts them: one for each token, and one for each queue that was
    /// looked at. Here they cost nothing: tokens travel in answers, and the queues are our own
    /// counts.
    pub messages: u64,
    /// How many more messages join-the-shortest-queue would have needed, which asks every server.
    pub messages_saved: u64,
    /// Where tokens came from.
    pub tokens: TokenCounts,
}

/// Where tokens came from, and which were not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Sent by a believed server.
    pub received: u64,
    /// Inferred: a server that sends no tokens had no request of ours outstanding.
    pub own: u64,
    /// Presumed after [`Options::presume_idle`](crate::Options::presume_idle).
    pub presumed: u64,
    /// Sent by a server that is not believed.
    pub ignored: u64,
    /// Stale: by then we had sent the server another request.
    pub stale: u64,
}

/// A snapshot of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerState<K> {
    /// Its key.
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
    /// Its speed as the policy sees it: requests per second if speeds are learned, otherwise the
    /// weight.
    pub speed: f64,
    /// How many requests it serves at a time, as far as that has been learned: a power of 2.
    pub at_once: u32,
    /// Whether its speed comes from its own answers.
    pub learned: bool,
    /// How many requests it may have at once.
    pub limit: Option<u32>,
    /// Whether its tokens are believed.
    pub tokens: bool,
    /// Requests that it answered.
    pub served: u64,
    /// Requests that failed on it, error answers included.
    pub failed: u64,
    /// The share of the requests that the policy would give it that it gets. It is below 1 if
    /// requests fail on it far more often than on the others.
    pub trust: f64,
}

impl TokenCounts {
    /// Tokens that came of an answer.
    pub(crate) fn of_answers(&self) -> u64 {
        self.received + self.own
    }
}
