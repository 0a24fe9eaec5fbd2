//! What a worker thread sees of a cluster.

/// A server as Envoy describes it to one worker thread.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenHost {
    /// Its address.
    pub address: String,
    /// Its weight; at least 1.
    pub weight: u32,
    /// Its number among the healthy servers of the priority, by which Envoy wants it chosen.
    /// `None` if it is not healthy.
    pub healthy: Option<u32>,
}

/// The servers of one priority, in Envoy's order: the position is the number among all of them.
pub type SeenPriority = Vec<SeenHost>;
