use super::Answer;

/// A dispatcher of the fleet: asked where a request goes, told when its answer comes.
///
/// [`PolicyFront`](super::PolicyFront) is a policy with known speeds. A front of your own can have
/// more between a policy and its servers (learned speeds, health, limits), to see its effect in
/// virtual time.
pub trait Front {
    /// What the dispatcher keeps of a request until the answer comes.
    type Lease;

    /// A request arrives at `now`; the server to which it goes.
    fn send(&mut self, now: f64) -> (usize, Self::Lease);

    /// The answer came from `server` at `now`. Where answers take time, they may come in another
    /// order than the server gave them.
    fn answered(&mut self, server: usize, lease: Self::Lease, answer: Answer, now: f64);

    /// `server` has [joined](super::FleetServer::joining) at `now`; until then no request may go
    /// there. By default a dispatcher does not care: it must not be put in front of such servers.
    fn joined(&mut self, server: usize, now: f64) {
        let _ = (server, now);
    }
}
