use alloc::vec;
use alloc::vec::Vec;

mod heard;

use rand::Rng;

use heard::{Fastest, Heard};

use super::scan::argmin;
use super::scratch::Scratch;
use super::sets::Tournament;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `considerate`: to the server with the least queue · r + √r, where r says how many times slower
/// than the fastest server it is. This approximates the server where one more job adds the least
/// delay to all jobs, itself included.
///
/// [`sed`](super::Sed), the least (queue + 1) · r, minimises the delay of the job itself. It
/// ignores that later jobs wait for it. Under high load it keeps slow servers idle while jobs pile
/// up in front of the fast ones. [`idle-fastest`](super::FastestToken) does the opposite: it gives
/// a slow server a job as soon as no faster one is idle. The price used here lies between. If jobs
/// were split among servers at random, with rate λᵢ for server i, one more job behind q others
/// would cost all jobs together (q + 1) / (μᵢ − λᵢ) of time (Krishnan 1987, "Joining the right
/// queue": one step of policy improvement). In the best such split of a load that needs all
/// servers, μᵢ − λᵢ is proportional to √μᵢ (Bell and Stidham 1983). So the load cancels out and
/// (q + 1) · √r remains: an idle slow server and a fast one with √r − 1 jobs cost the same. Waiting
/// jobs count r each and not √r. With √r the mean would be as good, but slow queues would be √r
/// times as long in time as fast ones, and the tail of the latency with them.
///
/// Of a server that serves c jobs at a time, c − 1 jobs in front are in service and not waited for,
/// and the next one that waits moves up c times as often. So the price is 1 + (w · r + √r − 1) / c
/// with w jobs waiting, and for c = 1 the one above. A job in service counts a fifth of one that
/// waits.
///
/// With several dispatchers the queue is only what *this* one has outstanding. Two observations
/// tell of the others:
///
/// * A token: the server was idle when it sent it, so it has no jobs of others.
/// * No token: a share β of the answers that leave none of our jobs at a server come without a
///   token, so the server has jobs of other dispatchers. If their number is Poisson, its mean is
///   −ln(1 − β), and that is added to the queue. With one dispatcher, or where servers send no
///   tokens, β is 0; no β above a half is used.
///
/// With one dispatcher it needs no tokens: an empty queue says what a token says.
#[derive(Clone, Debug)]
pub struct Considerate {
    heard: Vec<Heard>,
    /// The price of one more job. It is up to date if the policy is told of every change, otherwise
    /// only while a batch is split.
    index: Tournament<f64>,
    follows: bool,
    fastest: Fastest,
    prices: Scratch<f64>,
    messages: u64,
}

/// Learned speeds change with every answer. The speed that they are compared with changes only if
/// it is wrong by more than this factor, because all prices change with it.
const SLACK: f64 = 1.25;

impl Considerate {
    /// The price of the last of `jobs` more at `server`.
    #[inline]
    fn price(&self, server: usize, jobs: u32, view: &View<'_>) -> f64 {
        let (queue, speed) = (view.queues()[server], view.speed(server));
        self.heard[server].price(queue, jobs, speed, view.slots(server), self.fastest)
    }

    /// Puts the price of one more job into the index.
    fn index(&mut self, server: usize) {
        if self.follows {
            let heard = &self.heard[server];
            let price = heard.price(heard.queue, 1, heard.speed, heard.slots, self.fastest);
            self.index.insert(server, price);
        }
    }

    /// Sees the queue and the speed of `server`.
    fn see(&mut self, server: usize, view: &View<'_>) {
        let (queue, speed) = (view.queues()[server], view.speed(server));
        let heard = &mut self.heard[server];
        heard.queue = queue;
        heard.slots = view.slots(server);
        if heard.speed != speed {
            heard.speed = speed;
            let Fastest {
                speed: fastest,
                server: holder,
            } = self.fastest;
            if speed > SLACK * fastest {
                self.compare_with(Fastest { speed, server });
            } else if server == holder && SLACK * speed < fastest {
                self.find_fastest();
            }
        }
        self.index(server);
    }

    fn find_fastest(&mut self) {
        let mut fastest = Fastest {
            speed: 0.0,
            server: 0,
        };
        for (server, heard) in self.heard.iter().enumerate() {
            if heard.speed > fastest.speed {
                let speed = heard.speed;
                fastest = Fastest { speed, server };
            }
        }
        self.compare_with(fastest);
    }

    fn compare_with(&mut self, fastest: Fastest) {
        self.fastest = Fastest {
            // ∞ / ∞ would be NaN.
            speed: fastest.speed.min(f64::MAX),
            ..fastest
        };
        (0..self.heard.len()).for_each(|server| self.index(server));
    }
}

impl Policy for Considerate {
    const FORM: &'static str = "considerate";
    const MEANING: &'static str = "the least delay added to all jobs, by queues and speeds";
    const NEEDS: Needs = Needs::QUEUES_AND_SPEEDS;

    fn start(_: &[usize], view: &View<'_>) -> Self {
        let servers = view.servers();
        let mut policy = Self {
            heard: (0..servers)
                .map(|server| Heard::idle(view.speed(server)))
                .collect(),
            index: Tournament::of(vec![0.0; servers].into_iter()),
            follows: false,
            fastest: Fastest {
                speed: 0.0,
                server: 0,
            },
            prices: Scratch::with_capacity(servers),
            messages: 0,
        };
        policy.find_fastest();
        policy
    }

    fn start_following(parameters: &[usize], view: &View<'_>) -> Self {
        let mut policy = Self::start(parameters, view);
        policy.follows = true;
        (0..view.servers()).for_each(|server| policy.see(server, view));
        policy
    }
}

impl Dispatch for Considerate {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        let server = if self.follows && jobs == 1 {
            self.index.best(rng).expect("a dispatcher has servers")
        } else {
            let mut prices = core::mem::take(&mut *self.prices);
            prices.clear();
            prices.extend((0..view.servers()).map(|server| self.price(server, jobs, view)));
            let server = argmin(&prices, rng);
            *self.prices = prices;
            server
        };
        self.heard[server].sent();
        server
    }

    /// Job by job, each where it is cheapest after those before it.
    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        self.messages += view.servers() as u64;
        out.clear();
        for server in 0..view.servers() {
            self.index.insert(server, self.price(server, 1, view));
        }
        for _ in 0..jobs {
            let server = self.index.best(rng).expect("a dispatcher has servers");
            out.give(server, 1);
            let next = self.price(server, out.jobs(server) + 1, view);
            self.index.insert(server, next);
        }
        for (server, _) in out.iter() {
            self.heard[server].sent();
        }
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn fell_idle(&mut self, server: usize, view: &View<'_>) {
        self.heard[server].fell_idle();
        self.see(server, view);
    }

    /// The token is void: the server may have jobs of others.
    fn withdraw(&mut self, server: usize) {
        self.heard[server].token = false;
        self.index(server);
    }

    fn sent(&mut self, server: usize) {
        self.heard[server].sent();
    }

    fn server_joined(&mut self, view: &View<'_>) {
        let server = view.servers() - 1;
        // The speed is seen below, as a change from none.
        self.heard.push(Heard::idle(0.0));
        self.prices.clear();
        self.prices.reserve(view.servers());
        self.index.server_joined(server, 0.0);
        self.see(server, view);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.heard.swap_remove(server);
        self.index.server_left(server, servers);
        if self.fastest.server == server {
            self.find_fastest();
        } else if self.fastest.server == servers - 1 {
            self.fastest.server = server;
        }
    }

    fn changed(&mut self, server: usize, view: &View<'_>) {
        let heard = &mut self.heard[server];
        if heard.engaged && view.queues()[server] == 0 {
            heard.emptied();
        }
        self.see(server, view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// One server ten times as fast as the other: the slow one is used when the fast one has 3 jobs
    /// (3 + 1 > √10), not when it has 9 as under `sed`; a second one there when it has 13.
    #[test]
    fn slow_servers_help_in_time() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        for (slow, fast, server) in [(0, 0, 1), (0, 2, 1), (0, 3, 0), (1, 12, 1), (1, 13, 0)] {
            let queues = [slow, fast];
            let view = View::of_queues(&queues).with_speeds(&[1.0, 10.0]);
            let mut policy = Considerate::start(&[], &view);
            assert_eq!(policy.whole(1, &view, &mut rng), server, "{queues:?}");
        }
    }

    /// Half of the answers that leave none of our jobs come without a token: ln 2 jobs of others.
    /// While the token is held there are none.
    #[test]
    fn others_are_guessed_from_missing_tokens() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let mut queues = [0, 1000];
        let speeds = [1.0, 1.0];
        let mut policy = Considerate::start(&[], &View::of_queues(&queues).with_speeds(&speeds));
        for answer in 0..2000 {
            let view = View::of_queues(&queues).with_speeds(&speeds);
            assert_eq!(policy.whole(1, &view, &mut rng), 0);
            queues[0] = 1;
            policy.changed(0, &View::of_queues(&queues).with_speeds(&speeds));
            queues[0] = 0;
            let view = View::of_queues(&queues).with_speeds(&speeds);
            policy.changed(0, &view);
            if answer % 2 == 1 {
                policy.fell_idle(0, &view);
            }
        }
        // The weights fall by 1/32, so the latest answer moves the share by 1/64 about its mean.
        let others = policy.heard[0].others;
        assert!((others - 2f64.ln()).abs() < 0.04, "{others}");
        let view = View::of_queues(&queues).with_speeds(&speeds);
        assert_eq!(policy.price(0, 1, &view), 1.0);
        policy.withdraw(0);
        assert_eq!(policy.price(0, 1, &view), 1.0 + others);
    }
}
