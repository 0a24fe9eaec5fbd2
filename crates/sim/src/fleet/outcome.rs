/// What happened in a run of the fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetOutcome {
    /// How long each request took, in the order of arrival, from the warm-up on.
    pub latencies: Vec<f64>,
    /// How long each of them was served.
    pub services: Vec<f64>,
    /// How many of these requests each server got.
    pub sent: Vec<u64>,
    /// How many of them failed.
    pub failed: u64,
    /// Answers that carried a token, since the start.
    pub tokens: u64,
    /// When the run was stopped because more than
    /// [`most_present`](super::Horizon::most_present) requests were at the servers.
    pub ended: Option<f64>,
}
