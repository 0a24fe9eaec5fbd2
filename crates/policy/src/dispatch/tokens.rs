use alloc::vec;
use alloc::vec::Vec;

use rand::{Rng, RngExt};

use super::sets::{ServerBits, SubsetDraw, TokenSet, find, unpack, words};
use super::{Assignment, Needs, View};

/// The tokens that the dispatcher holds: which servers it knows to be idle, and which of them it
/// uses first.
///
/// There is one token for each server (PI section 2.1). The dispatcher gets it when the server
/// falls idle and gives it back with the next jobs for that server. So a token that is taken here
/// is gone until the server sends it again.
pub trait Tokens: Clone + Sized {
    /// What the choice among idle servers depends on.
    const NEEDS: Needs;

    /// The tokens of all servers of `view`.
    fn all(view: &View<'_>) -> Self;

    /// Whether there is none.
    fn is_empty(&self) -> bool;

    /// The token of `server` has arrived; a second one changes nothing.
    fn hold(&mut self, server: usize, view: &View<'_>);

    /// The tokens of all these servers have arrived.
    fn hold_all(&mut self, servers: &ServerBits, view: &View<'_>) {
        servers.iter().for_each(|server| self.hold(server, view));
    }

    /// The token of `server` is void, if it was held.
    fn withdraw(&mut self, server: usize);

    /// Takes the token of the idle server that gets a whole batch; `None` if no token is held.
    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize>;

    /// Spreads a batch over the idle servers by some rule f of PI's equation 7, and takes the
    /// tokens of those that get jobs. What `out` held before is overwritten. Returns the Last-Idle
    /// server; `None` if no token is held, and then the contents of `out` are unspecified.
    fn spread<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize>;

    /// The last server of `view` has joined, idle.
    fn server_joined(&mut self, view: &View<'_>);

    /// `server` has left, and the last of `servers` takes its number.
    fn server_left(&mut self, server: usize, servers: usize);

    /// `server` has another speed now; whether its token is held stays as it is.
    fn changed(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }
}

/// Any token will do: the choice is uniform, as in PI's Last-Idle process (equation 4). A split
/// batch is spread as evenly as possible, as in PI section 4.
#[derive(Clone, Debug)]
pub struct AnyToken {
    held: TokenSet,
    /// Draws the servers that get one job more.
    subset: SubsetDraw,
    /// 1 for each server whose token is held, while a batch is spread.
    idle: Vec<u8>,
}

impl AnyToken {
    /// Writes the servers whose tokens are held into `idle`, ascending.
    pub(super) fn list(&self, idle: &mut Vec<u32>) {
        idle.clear();
        for (at, &word) in self.held.words().iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                idle.push(64 * at as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }

    /// The servers of `out` get their tokens back with their jobs. Returns one of them, chosen
    /// uniformly: the Last-Idle server.
    pub(super) fn give_back<R: Rng + ?Sized>(
        &mut self,
        out: &Assignment,
        rng: &mut R,
    ) -> Option<usize> {
        let rank = rng.random_range(0..out.recipients().max(1));
        let mut last_idle = None;
        for (at, (server, _)) in out.iter().enumerate() {
            self.held.remove(server);
            if at == rank {
                last_idle = Some(server);
            }
        }
        last_idle
    }
}

/// If a batch reaches one server in 32 or more, taking tokens all together is faster than one by
/// one.
const MANY: usize = 32;

impl Tokens for AnyToken {
    const NEEDS: Needs = Needs::NOTHING;

    fn all(view: &View<'_>) -> Self {
        Self {
            held: TokenSet::all(view.servers()),
            subset: SubsetDraw::over(view.servers()),
            idle: vec![0; 64 * words(view.servers())],
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.held.count() == 0
    }

    #[inline]
    fn hold(&mut self, server: usize, _: &View<'_>) {
        self.held.insert(server);
    }

    #[inline]
    fn hold_all(&mut self, servers: &ServerBits, _: &View<'_>) {
        self.held.insert_all(servers);
    }

    fn withdraw(&mut self, server: usize) {
        self.held.remove(server);
    }

    #[inline]
    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        let server = self.held.draw(rng)?;
        self.held.remove(server);
        Some(server)
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        let held = self.held.count();
        if held == 0 || jobs == 0 {
            return None;
        }
        let (each, extra) = (jobs / held, jobs % held);
        let recipients = held.min(jobs);
        if MANY * (recipients as usize) < self.held.servers() {
            out.clear();
            // Equation 8: uniform among them, whether or not it gets one job more.
            let last_idle = rng.random_range(0..recipients);
            let mut chosen = None;
            for rank in 0..recipients {
                let server = self.take(rng)?;
                out.give_first(server, each + u32::from(rank < extra));
                if rank == last_idle {
                    chosen = Some(server);
                }
            }
            return chosen;
        }
        let all = self.held.words();
        self.subset.draw(all, extra as usize, rng);
        // Either all that are held get jobs, or those that were drawn.
        let (word, bit) = if each > 0 {
            find(all, rng.random_range(0..held))
        } else {
            find(self.subset.chosen(), rng.random_range(0..extra))
        };
        out.give_all(self.held.servers(), |given| {
            unpack(all, &mut self.idle);
            for ((given, &idle), &one) in given.iter_mut().zip(&self.idle).zip(self.subset.ones()) {
                // As a mask, since multiplying takes longer.
                let each = u32::from(idle).wrapping_neg() & each;
                *given = each.wrapping_add(one.into());
            }
            recipients as usize
        });
        if each > 0 {
            self.held.clear();
        } else {
            self.held.remove_all(self.subset.chosen());
        }
        Some(64 * word + bit.trailing_zeros() as usize)
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.held.server_joined();
        self.subset.resize(view.servers());
        self.idle.resize(64 * words(view.servers()), 0);
    }

    fn server_left(&mut self, server: usize, _: usize) {
        self.held.server_left(server);
    }
}
