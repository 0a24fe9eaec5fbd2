use rand::Rng;

use super::scan::argmin;
use super::scratch::Scratch;
use super::tournament::Tournament;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `considerate`: where a job does the least harm to all, itself included: the least (queue + batch) / √speed.
///
/// [`sed`](super::Sed) sends a job where that job is done first. It does not count that everybody who
/// comes later waits for it, and that this lasts the longer the busier the server is. So under high load it
/// keeps slow servers idle while it piles jobs up before the fast ones. The harm has a price: if jobs were split
/// among servers at random, server i getting λᵢ of them, one more job in front of q others would cost all
/// of them together (q + 1) / (μᵢ − λᵢ) of time (Krishnan 1987, "Joining the right queue": one step of policy
/// improvement). And in the best such split of a load that needs all servers, μᵢ − λᵢ is proportional to √μᵢ (Bell and
/// Stidham 1983). The load cancels out, and (q + 1) / √μᵢ is left.
///
/// With several dispatchers the queue is only what *this* one has outstanding. Two things tell of the others:
///
/// * A token: the server was idle when it sent it, so nobody's jobs are there. Unlike under
///   [`idle`](super::Idle), a busy fast server may still be the better choice.
/// * No token: a share β of the answers that leave nothing of ours at a server come without one, so somebody
///   else's jobs are there. If these are Poisson in number, there are −ln(1 − β) of them on average, and so many
///   are added to the queue. Alone, or where nobody sends tokens, β is 0.
///
/// Without tokens and with one dispatcher it is as good: an empty queue says what a token says.
#[derive(Clone, Debug)]
pub struct Considerate {
    heard: Vec<Heard>,
    /// The harm of one job more; always true if the policy is told of every change, otherwise only
    /// while a batch is split.
    index: Tournament<f64>,
    follows: bool,
    costs: Scratch<f64>,
    messages: u64,
}

/// What a server's answers have told.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// We hold its token.
    token: bool,
    /// It has got jobs from here since it last had none of them.
    engaged: bool,
    /// Its last answer left nothing of ours there and, so far, came without a token.
    left_busy: bool,
    /// The share of such answers without a token, β, the latest counting most.
    busy: f64,
    /// How many jobs of others are there on average, if not idle.
    others: f64,
    /// Queue and speed as they were last shown to a policy that follows them.
    queue: u32,
    speed: f64,
}

/// The last so many answers count.
const MEMORY: f64 = 32.0;

/// No estimate of β comes closer to 1: that would need more answers than are remembered.
const MOST_BUSY: f64 = 0.99;

impl Heard {
    const IDLE: Self = Self {
        token: true,
        engaged: false,
        left_busy: false,
        busy: 0.0,
        others: 0.0,
        queue: 0,
        speed: 0.0,
    };

    fn estimate(&mut self, busy: f64) {
        self.busy = busy.max(0.0);
        self.others = -(1.0 - self.busy.min(MOST_BUSY)).ln();
    }

    /// Nothing of ours is left there. That counts as busy until the token comes.
    fn emptied(&mut self) {
        self.engaged = false;
        self.left_busy = true;
        self.estimate(self.busy + (1.0 - self.busy) / MEMORY);
    }

    fn fell_idle(&mut self) {
        self.token = true;
        if self.left_busy {
            self.left_busy = false;
            self.estimate(self.busy - 1.0 / MEMORY);
        }
    }

    /// The harm of `jobs` more behind `queue` of ours.
    #[inline]
    fn cost(&self, queue: u32, jobs: u32, speed: f64) -> f64 {
        let others = if self.token && queue == 0 {
            0.0
        } else {
            self.others
        };
        (f64::from(queue) + f64::from(jobs) + others) / speed.sqrt()
    }

    fn sent(&mut self) {
        self.token = false;
        self.engaged = true;
        self.left_busy = false;
    }
}

impl Considerate {
    /// The harm of `jobs` more at `server`.
    #[inline]
    fn cost(&self, server: usize, jobs: u32, view: &View<'_>) -> f64 {
        self.heard[server].cost(view.queues()[server], jobs, view.speed(server))
    }

    fn follow(&mut self, server: usize, view: &View<'_>) {
        if self.follows {
            let heard = &mut self.heard[server];
            (heard.queue, heard.speed) = (view.queues()[server], view.speed(server));
            let cost = heard.cost(heard.queue, 1, heard.speed);
            self.index.insert(server, cost);
        }
    }
}

impl Policy for Considerate {
    const FORM: &'static str = "considerate";
    const MEANING: &'static str =
        "the least harm to all: queue over the root of speed, what others sent guessed from tokens";
    const NEEDS: Needs = Needs::QUEUES_AND_SPEEDS;

    fn start(_: &[usize], view: &View<'_>) -> Self {
        let servers = view.servers();
        Self {
            heard: vec![Heard::IDLE; servers],
            index: Tournament::of(vec![0.0; servers].into_iter()),
            follows: false,
            costs: Scratch::with_capacity(servers),
            messages: 0,
        }
    }

    fn start_following(parameters: &[usize], view: &View<'_>) -> Self {
        let mut policy = Self::start(parameters, view);
        policy.follows = true;
        (0..view.servers()).for_each(|server| policy.follow(server, view));
        policy
    }
}

impl Dispatch for Considerate {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        let server = if self.follows && jobs == 1 {
            self.index.best(rng).expect("a dispatcher has servers")
        } else {
            let mut costs = core::mem::take(&mut *self.costs);
            costs.clear();
            costs.extend((0..view.servers()).map(|server| self.cost(server, jobs, view)));
            let server = argmin(&costs, rng);
            *self.costs = costs;
            server
        };
        self.heard[server].sent();
        server
    }

    /// Job by job, each where it does the least harm after those before it.
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
            self.index.insert(server, self.cost(server, 1, view));
        }
        for _ in 0..jobs {
            let server = self.index.best(rng).expect("a dispatcher has servers");
            out.give(server, 1);
            let next = self.cost(server, out.jobs(server) + 1, view);
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
        self.follow(server, view);
    }

    /// The token is void, and nobody knows what is there.
    fn withdraw(&mut self, server: usize) {
        let heard = &mut self.heard[server];
        heard.token = false;
        if self.follows {
            let cost = heard.cost(heard.queue, 1, heard.speed);
            self.index.insert(server, cost);
        }
    }

    fn sent(&mut self, server: usize) {
        self.heard[server].sent();
    }

    fn joined(&mut self, view: &View<'_>) {
        let server = view.servers() - 1;
        self.heard.push(Heard::IDLE);
        self.costs.clear();
        self.costs.reserve(view.servers());
        self.index.joined(server, 0.0);
        self.follow(server, view);
    }

    fn left(&mut self, server: usize, servers: usize) {
        self.heard.swap_remove(server);
        self.index.left(server, servers);
    }

    fn changed(&mut self, server: usize, view: &View<'_>) {
        let heard = &mut self.heard[server];
        if heard.engaged && view.queues()[server] == 0 {
            heard.emptied();
        }
        self.follow(server, view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// One server ten times as fast as the other: the slow one is used when the fast one has 3 jobs
    /// (4 > √10), not when it has 9 as under `sed`.
    #[test]
    fn slow_servers_help_in_time() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        for (queue, server) in [(0, 1), (2, 1), (3, 0), (9, 0)] {
            let queues = [0, queue];
            let view = View::of_queues(&queues).with_speeds(&[1.0, 10.0]);
            let mut policy = Considerate::start(&[], &view);
            assert_eq!(policy.whole(1, &view, &mut rng), server, "{queue}");
        }
    }

    /// Half of the answers that leave nothing of ours come without a token: ln 2 jobs of others.
    /// With a token in hand there are none, without one they count.
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
        assert_eq!(policy.cost(0, 1, &view), 1.0);
        policy.withdraw(0);
        assert_eq!(policy.cost(0, 1, &view), 1.0 + others);
    }

    /// Alone, every answer that leaves nothing brings the token, and nobody else is suspected.
    #[test]
    fn alone_there_are_no_others() {
        let mut heard = Heard::IDLE;
        for _ in 0..100 {
            heard.sent();
            heard.emptied();
            heard.fell_idle();
        }
        assert!(heard.busy < 1e-12 && heard.others < 1e-12);
        // A token that comes by other ways (the server has been quiet for long) says nothing about shares.
        heard.estimate(0.5);
        heard.fell_idle();
        assert_eq!(heard.busy, 0.5);
    }
}
