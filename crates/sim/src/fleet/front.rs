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

    /// The answer came from `server` at `now`, and left it idle or not.
    fn answered(&mut self, server: usize, lease: Self::Lease, idle: bool, now: f64);
}
