use rand::{Rng, RngExt};

use super::server_set::ServerSet;
use super::{Assignment, Needs, View};

/// The tokens that the dispatcher holds: which servers it knows to be idle, and which of them it
/// uses first.
///
/// There is one token for each server (PI section 2.1). The dispatcher gets it when the server falls
/// idle and gives it back with the next jobs for that server, so a token that is taken here is
/// gone until the server sends it again.
pub trait Tokens: Sized {
    /// What the choice among idle servers depends on.
    const NEEDS: Needs;

    /// The tokens of all servers of `view`.
    fn all(view: &View<'_>) -> Self;

    /// The token of `server` has arrived; a second one changes nothing.
    fn hold(&mut self, server: usize, view: &View<'_>);

    /// The token of `server` is void, if it was held.
    fn withdraw(&mut self, server: usize);

    /// Takes the token of the idle server that gets a whole batch; `None` if nobody is idle.
    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize>;

    /// Spreads a batch over the idle servers as evenly as possible and takes the tokens of those
    /// that get jobs. Returns the Last-Idle server; `None`, and nothing assigned, if nobody is idle.
    fn take_evenly<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize>;

    /// The last server of `view` has joined, idle.
    fn joined(&mut self, view: &View<'_>);

    /// `server` has left, and the last of `servers` takes its number.
    fn left(&mut self, server: usize, servers: usize);

    /// `server` has another speed now; whether its token is held stays as it is.
    fn changed(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }
}

/// Any token will do: the choice is uniform, as in PI's Last-Idle process (equation 4). A whole
/// batch takes constant time.
#[derive(Clone, Debug)]
pub struct AnyToken(ServerSet);

impl Tokens for AnyToken {
    const NEEDS: Needs = Needs::NOTHING;

    fn all(view: &View<'_>) -> Self {
        Self(ServerSet::full(view.servers()))
    }

    #[inline]
    fn hold(&mut self, server: usize, _: &View<'_>) {
        self.0.insert(server);
    }

    fn withdraw(&mut self, server: usize) {
        self.0.remove(server);
    }

    #[inline]
    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        let held = self.0.len();
        (held > 0).then(|| self.0.take_at(rng.random_range(0..held)))
    }

    fn take_evenly<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        let held = self.0.len();
        if held == 0 || jobs == 0 {
            return None;
        }
        let (each, extra) = (jobs as usize / held, jobs as usize % held);
        if each > 0 {
            // Those who get one more are drawn, or those who do not, whichever are fewer.
            let fewer = extra.min(held - extra);
            let last_idle = self.0.draw_and_clear(fewer, rng, |servers, rng| {
                let (drawn, others) = servers.split_at(fewer);
                let (more, less) = if fewer == extra {
                    (drawn, others)
                } else {
                    (others, drawn)
                };
                for &server in more {
                    out.give_first(server as usize, each as u32 + 1);
                }
                for &server in less {
                    out.give_first(server as usize, each as u32);
                }
                servers[rng.random_range(0..held)] as usize
            });
            return Some(last_idle);
        }
        for &server in self.0.draw(extra, rng) {
            out.give_first(server as usize, 1);
        }
        let last_idle = self.0.as_slice()[rng.random_range(0..extra)] as usize;
        // From the back, so that those still to be taken stay where they are.
        for at in (0..extra).rev() {
            self.0.take_at(at);
        }
        Some(last_idle)
    }

    fn joined(&mut self, view: &View<'_>) {
        self.0.joined();
        self.0.insert(view.servers() - 1);
    }

    fn left(&mut self, server: usize, _: usize) {
        self.0.left(server);
    }
}
