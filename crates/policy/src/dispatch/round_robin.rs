use rand::Rng;

use super::{Assignment, Dispatch, Needs, Policy, View};

/// `round-robin`: each batch to the next server in turn; of a split batch each job to the next.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    next: usize,
}

impl Policy for RoundRobin {
    const FORM: &'static str = "round-robin";
    const MEANING: &'static str = "the next server in turn (split: each job to the next one)";
    const NEEDS: Needs = Needs::NOTHING;
    const RANDOM_TIES: bool = false;

    fn start(_: &[usize], _: &View<'_>) -> Self {
        Self::default()
    }
}

impl Dispatch for RoundRobin {
    #[inline]
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, _: &mut R) -> usize {
        let server = self.next;
        self.next = if server + 1 < view.servers() {
            server + 1
        } else {
            0
        };
        server
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        _: &mut R,
        out: &mut Assignment,
    ) {
        out.clear();
        let servers = view.servers();
        let (rounds, extra) = (jobs as usize / servers, jobs as usize % servers);
        let recipients = if rounds == 0 { extra } else { servers };
        for turn in 0..recipients {
            let server = (self.next + turn) % servers;
            out.give(server, (rounds + usize::from(turn < extra)) as u32);
        }
        self.next = (self.next + extra) % servers;
    }

    /// The number whose turn it is keeps it. If it was the last number, which is gone, a new round
    /// begins.
    fn server_left(&mut self, _: usize, servers: usize) {
        if self.next == servers - 1 {
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    #[test]
    fn whole_and_split_take_the_same_turns() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let view = View::of(3);
        let mut batches = RoundRobin::default();
        let mut out = Assignment::over(3);
        for (jobs, expected) in [(2, [1, 1, 0]), (2, [1, 0, 1]), (7, [2, 3, 2])] {
            batches.split(jobs, &view, &mut rng, &mut out);
            assert_eq!([0, 1, 2].map(|server| out.jobs(server)), expected);
        }
        assert_eq!(
            [(); 4].map(|()| batches.whole(5, &view, &mut rng)),
            [2, 0, 1, 2]
        );
    }
}
