use filch_policy::dispatch::{Assignment, Dispatch, ServerBits, Spec, Start, StartError, View};
use filch_random::{Seed, Stream};
use filch_workload::streams::ROUTING;
use filch_workload::{ArrivalLaw, Arrivals, CapacityLaw};

use super::completions::{Served, Timing};
use super::drift::Watch;
use super::outcome::FarmOutcome;
use super::run::{Batches, Length, Run};
use super::servers::Servers;
use super::service::{Slot, padded, serve};
use super::trajectory::Trajectory;

/// The most jobs that may wait. A run ends before there are more, so that all numbers in
/// `service.rs` stay below 2³¹.
pub const MOST_JOBS: u32 = i32::MAX as u32;

const NO_SUCH_SERVER: &str = "the policy chose a server that does not exist";

/// If one server in eight or more gets a part of a batch, adding all parts while serving is faster.
const MANY: usize = 8;

/// One policy and its servers. Batches and capacities are passed in, so that several lines can be
/// given the same.
#[derive(Clone, Debug)]
pub struct Line<'a, P: Start = Spec, A = Arrivals> {
    run: &'a Run<P, A>,
    speeds: &'a [f64],
    length: Length,
    dispatcher: P::Policy,
    /// Where the policy's own choices come from.
    rng: Stream,
    /// Q_i at the end of the last slot, and padding.
    queues: Vec<u32>,
    /// Σ Q_i.
    waiting: u32,
    /// Over all lanes; those of the padding get nothing.
    batch: Assignment,
    /// What [`serve`] reports: marks of the servers that fell idle, and departures.
    fell: Vec<u8>,
    departed: Vec<u32>,
    /// The servers that `fell` marks.
    idle: ServerBits,
    timing: Option<Timing>,
    watch: Option<Watch>,
    trajectory: Trajectory,
    /// The last slot; slots are numbered from 1.
    slot: u32,
    counts: Counts,
    /// Messages up to the end of the warm-up.
    early_messages: u64,
    ended: Option<u32>,
}

/// How the timing learns of the jobs that arrived in a slot.
#[derive(Clone, Copy, Debug)]
enum Joined {
    /// It was told when they arrived, if there were any.
    Arrived,
    /// It is given the split batch.
    Split,
}

/// What is counted after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    waited: u64,
    jobs: u64,
    served: u64,
    arrived: u64,
    sub_batches: u64,
}

impl<'a, P: Start, A: ArrivalLaw> Line<'a, P, A> {
    /// The policy of `run` in front of idle servers.
    ///
    /// # Errors
    ///
    /// If a named policy needs more servers than there are.
    ///
    /// # Panics
    ///
    /// If the run is longer than [`Length::MOST_SLOTS`].
    pub fn start<C: CapacityLaw>(
        run: &'a Run<P, A>,
        servers: &'a Servers<C>,
        length: Length,
        seed: Seed,
        replication: u64,
    ) -> Result<Self, StartError> {
        assert!(length.slots <= Length::MOST_SLOTS, "the run is too long");
        let (count, lanes) = (servers.count(), padded(servers.count()));
        let queues = vec![0; lanes];
        let view = View::of_queues(&queues[..count]).with_speeds(servers.speeds());
        let timing = || match run.batches {
            Batches::Whole => Timing::of_whole(count, length.warm_up),
            Batches::Split => Timing::of_split(count, length.warm_up),
        };
        Ok(Self {
            run,
            speeds: servers.speeds(),
            length,
            dispatcher: run.policy.start(&view)?,
            rng: seed.stream(ROUTING, replication, 0),
            queues,
            waiting: 0,
            batch: Assignment::over(lanes),
            fell: vec![0; lanes],
            departed: vec![0; lanes],
            idle: ServerBits::none_of(count),
            timing: run.completions.then(timing),
            watch: run.drift.map(Watch::new),
            trajectory: Trajectory::new(length),
            slot: 0,
            counts: Counts::default(),
            early_messages: 0,
            ended: None,
        })
    }

    /// Begins with these queues instead of empty ones, X(0) of PI section 2.1. The Last-Idle server
    /// is the one with the longest queue, so that the state is a sampling time if a server is idle.
    ///
    /// # Panics
    ///
    /// As [`from_state`](Self::from_state).
    #[must_use]
    pub fn from_queues(self, queues: &[u32]) -> Self {
        let longest = (0..queues.len()).max_by_key(|&server| queues[server]);
        self.from_state(queues, longest.unwrap_or(0))
    }

    /// Begins with these queues and this Last-Idle server, X(0) of PI section 2.1: while no server
    /// is idle, PI sends every batch to it.
    ///
    /// # Panics
    ///
    /// If a slot is over, if there is not one queue for each server, if there is no such server, or
    /// if more than [`MOST_JOBS`] wait.
    #[must_use]
    pub fn from_state(mut self, queues: &[u32], last_idle: usize) -> Self {
        assert!(self.slot == 0 && queues.len() == self.speeds.len());
        assert!(last_idle < queues.len(), "{NO_SUCH_SERVER}");
        let waiting: u64 = queues.iter().map(|&queue| u64::from(queue)).sum();
        assert!(waiting <= u64::from(MOST_JOBS), "too many jobs wait");
        self.waiting = waiting as u32;
        self.queues[..queues.len()].copy_from_slice(queues);
        for (server, &jobs) in queues.iter().enumerate().filter(|queue| *queue.1 > 0) {
            self.dispatcher.withdraw(server);
            if let Some(timing) = &mut self.timing {
                timing.arrive(server, 0, jobs);
            }
        }
        self.dispatcher.sent(last_idle);
        if let Some(watch) = &mut self.watch {
            watch.sent(last_idle);
            watch.end_of_slot(0, queues);
        }
        self
    }

    /// Goes on from the state of `other`, whose run has been the same so far ([`Run::begins_as`]).
    /// This line has not begun.
    pub(super) fn begin_as(&mut self, other: &Self) {
        let (run, mut dispatcher) = (self.run, self.dispatcher.clone());
        P::take_tokens_of(&mut dispatcher, &other.dispatcher);
        *self = Self {
            run,
            dispatcher,
            ..other.clone()
        };
    }

    pub(super) fn run(&self) -> &'a Run<P, A> {
        self.run
    }

    /// Q_i at the end of the last slot.
    pub fn queues(&self) -> &[u32] {
        &self.queues[..self.speeds.len()]
    }

    /// What the policy has cost so far, the warm-up included.
    pub fn messages(&self) -> u64 {
        self.dispatcher.messages()
    }

    /// Simulates the next slots. In the k-th of them `batches[k]` jobs arrive, and `capacities(k)`
    /// has the capacity of every server and [padding](super::Capacities::slot).
    pub fn slots<'c>(&mut self, batches: &[u32], capacities: impl Fn(usize) -> &'c [u32]) {
        self.go(batches, capacities, false);
    }

    /// The same until a batch arrives while the policy holds no token. Returns how many slots are
    /// over.
    pub(super) fn slots_while_idle<'c>(
        &mut self,
        batches: &[u32],
        capacities: impl Fn(usize) -> &'c [u32],
    ) -> usize {
        self.go(batches, capacities, true)
    }

    fn go<'c>(
        &mut self,
        batches: &[u32],
        capacities: impl Fn(usize) -> &'c [u32],
        while_idle: bool,
    ) -> usize {
        match (self.run.policy.listens(), self.timing.is_some()) {
            (false, false) => self.all::<false, false>(batches, capacities, while_idle),
            (false, true) => self.all::<false, true>(batches, capacities, while_idle),
            (true, false) => self.all::<true, false>(batches, capacities, while_idle),
            (true, true) => self.all::<true, true>(batches, capacities, while_idle),
        }
    }

    fn all<'c, const LISTEN: bool, const TRACK: bool>(
        &mut self,
        batches: &[u32],
        capacities: impl Fn(usize) -> &'c [u32],
        while_idle: bool,
    ) -> usize {
        for (at, &jobs) in batches.iter().enumerate() {
            if self.ended.is_some() {
                break;
            }
            if while_idle && jobs > 0 && !P::knows_idle(&self.dispatcher) {
                return at;
            }
            if jobs > MOST_JOBS - self.waiting {
                // Waiting jobs are counted in 31 bits.
                self.ended = Some(self.slot + 1);
                break;
            }
            self.slot += 1;
            let (sub_batches, served) = self.slot::<LISTEN, TRACK>(jobs, capacities(at));
            if let Some(watch) = &mut self.watch {
                watch.end_of_slot(self.slot, &self.queues[..self.speeds.len()]);
            }
            self.trajectory.push(self.waiting);
            if self.slot > self.length.warm_up {
                self.counts.waited += u64::from(self.waiting);
                self.counts.jobs += u64::from(jobs);
                self.counts.served += u64::from(served);
                self.counts.arrived += u64::from(jobs > 0);
                self.counts.sub_batches += sub_batches;
            } else if self.slot == self.length.warm_up {
                self.early_messages = self.dispatcher.messages();
            }
        }
        batches.len()
    }

    /// One slot. Returns the number of sub-batches and of jobs that departed.
    #[inline]
    fn slot<const LISTEN: bool, const TRACK: bool>(
        &mut self,
        jobs: u32,
        capacities: &[u32],
    ) -> (u64, u32) {
        if jobs == 0 {
            let served = self.serve::<false, LISTEN, TRACK>(0, capacities);
            self.time::<TRACK>(0, Joined::Arrived);
            return (0, served);
        }
        let view = View::of_queues(&self.queues[..self.speeds.len()]).with_speeds(self.speeds);
        if self.run.batches == Batches::Whole {
            let server = self.dispatcher.whole(jobs, &view, &mut self.rng);
            let servers = &mut self.queues[..self.speeds.len()];
            let queue = servers.get_mut(server).expect(NO_SUCH_SERVER);
            *queue += jobs;
            if let Some(watch) = &mut self.watch {
                watch.sent(server);
            }
            let served = self.serve::<false, LISTEN, TRACK>(jobs, capacities);
            if TRACK && let Some(timing) = &mut self.timing {
                timing.arrive(server, self.slot, jobs);
            }
            self.time::<TRACK>(jobs, Joined::Arrived);
            return (1, served);
        }
        self.dispatcher
            .split(jobs, &view, &mut self.rng, &mut self.batch);
        if !P::TRUSTED {
            self.check(jobs);
        }
        let recipients = self.batch.recipients();
        let served = if MANY * recipients >= self.speeds.len() {
            self.serve::<true, LISTEN, TRACK>(jobs, capacities)
        } else {
            for (server, jobs) in self.batch.iter() {
                self.queues[server] += jobs;
            }
            self.serve::<false, LISTEN, TRACK>(jobs, capacities)
        };
        self.time::<TRACK>(jobs, Joined::Split);
        (recipients as u64, served)
    }

    /// Panics unless the policy, one of the caller's own, has assigned each of `jobs` to one
    /// server.
    fn check(&self, jobs: u32) {
        let mut assigned = 0;
        for (server, jobs) in self.batch.iter() {
            assert!(server < self.speeds.len(), "{NO_SUCH_SERVER}");
            assigned += u64::from(jobs);
        }
        assert!(
            assigned == u64::from(jobs),
            "the policy assigned {assigned} of {jobs} jobs"
        );
    }

    /// Times the jobs that leave, where `jobs` have arrived in this slot.
    #[inline]
    fn time<const TRACK: bool>(&mut self, jobs: u32, joined: Joined) {
        if TRACK && let Some(timing) = &mut self.timing {
            let served = Served {
                slot: self.slot,
                jobs,
                departed: &self.departed,
                queues: &self.queues,
                waiting: self.waiting,
            };
            match joined {
                Joined::Arrived => timing.leave(served),
                Joined::Split => timing.pass(self.batch.by_server(), served),
            }
        }
    }

    /// Steps 3 and 4, after `jobs` have arrived. Returns the number of jobs that departed.
    #[inline]
    fn serve<const ARRIVE: bool, const LISTEN: bool, const TRACK: bool>(
        &mut self,
        jobs: u32,
        capacities: &[u32],
    ) -> u32 {
        let waiting = serve::<ARRIVE, LISTEN, TRACK>(Slot {
            queues: &mut self.queues,
            capacities,
            arriving: self.batch.by_server(),
            fell: &mut self.fell,
            departed: &mut self.departed,
        });
        let served = self.waiting + jobs - waiting;
        self.waiting = waiting;
        if LISTEN {
            let queues = &self.queues[..self.speeds.len()];
            let view = View::of_queues(queues).with_speeds(self.speeds);
            self.idle.mark(&self.fell);
            self.dispatcher.fell_idle_together(&self.idle, &view);
        }
        served
    }

    /// What happened.
    pub fn finish(self) -> FarmOutcome<P> {
        let Counts {
            waited,
            jobs,
            served,
            arrived,
            sub_batches,
        } = self.counts;
        FarmOutcome {
            policy: self.run.policy.clone(),
            batches: self.run.batches,
            slots: self.slot.saturating_sub(self.length.warm_up),
            trajectory: self.trajectory,
            waited,
            jobs,
            served,
            arrived,
            sub_batches,
            messages: self.dispatcher.messages() - self.early_messages,
            completions: self.timing.map(|timing| timing.finish(self.slot)),
            drift: self.watch.map(Watch::finish),
            ended: self.ended,
        }
    }
}
