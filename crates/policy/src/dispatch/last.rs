use rand::{Rng, RngExt};

use super::{Dispatch, Needs, Policy, View};

/// `last`: where the previous batch went, always whole. The first batch goes to a random server.
///
/// Alone it is of little use; inside [`Idle`](super::Idle) it makes Persistent-Idle.
#[derive(Clone, Debug, Default)]
pub struct Last {
    previous: Option<usize>,
}

impl Policy for Last {
    const FORM: &'static str = "last";
    const MEANING: &'static str = "the server that the previous batch went to";
    const NEEDS: Needs = Needs::NOTHING;

    fn start(_: &[usize], _: &View<'_>) -> Self {
        Self::default()
    }
}

impl Dispatch for Last {
    #[inline]
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        *self
            .previous
            .get_or_insert_with(|| rng.random_range(0..view.servers()))
    }

    #[inline]
    fn sent(&mut self, server: usize) {
        self.previous = Some(server);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        if self.previous == Some(server) {
            self.previous = None;
        } else if self.previous == Some(servers - 1) {
            self.previous = Some(server);
        }
    }
}
