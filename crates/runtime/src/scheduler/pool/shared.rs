//! What the workers of a pool share.

use filch_deque::asymmetric::register_if_alone;
use filch_deque::{Owner, Padded};
use filch_policy::dispatch::StartError;
use filch_policy::steal::{Steal as _, StealFunction};

use super::builder::{IdlePolicy, PoolBuilder};
use super::dispatching::Dispatching;
use super::ending::Ending;
use super::force_cost::ForceCost;
use super::last_sent::LastSent;
use super::numbers::Numbers;
use super::order::JobOrder;
use super::placement::{Comes, Placement};
use super::searching::Searching;
use super::seats::Seats;
use super::spares::Spares;
use super::stall::Patience;
#[cfg(feature = "async")]
use crate::scheduler::bridge::Sending;
use crate::scheduler::call::Call;
use crate::scheduler::classes::Lanes;
use crate::scheduler::job::{Job, JobHead, Panic, discard};
use crate::scheduler::metrics::Metrics;
use crate::scheduler::process::Process;
use crate::scheduler::queue::{JobKind, Queue, Queued};
use crate::scheduler::record;
use crate::scheduler::worker::{Seat, WaitsOutside, Worker};
use crate::sleep::{Attention, Sleep, steps};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use crate::sync::{Arc, Mutex, lock};

type PanicHandler = Box<dyn Fn(Panic) + Send + Sync>;

/// A pool, as its workers and its callers see it.
pub(crate) struct PoolShared {
    pub(crate) seats: Seats,
    pub(crate) sleep: Sleep,
    pub(super) spares: Spares,
    pub(super) ending: Ending,
    /// In a pool whose users want numbers below that of the workers.
    pub(crate) numbers: Option<Numbers>,
    pub(crate) order: JobOrder,
    /// The number by which work is divided, if it is not that of the workers.
    pub(crate) width: Option<usize>,
    pub(crate) steal: StealFunction,
    /// Whether a worker takes no more jobs from another than it can run soon.
    pub(crate) keeps_order: bool,
    pub(crate) seed: u64,
    dispatching: Mutex<Dispatching>,
    last_sent: LastSent,
    /// Jobs that were spawned with a class.
    pub(crate) lanes: Lanes,
    /// Jobs from outside, if the order has one queue for them.
    pub(crate) injector: Queue,
    pub(super) idle: IdlePolicy,
    pub(super) force_cost: ForceCost,
    pub(super) searching: Searching,
    pub(super) patience: Patience,
    pub(crate) placement: Placement,
    /// Whether a thread from outside may borrow the seat of a sleeping worker.
    pub(crate) lends_seats: bool,
    /// The workers that wait for another pool, and may be woken for calls from other pools.
    calls: Mutex<Vec<WaitsOutside>>,
    /// Held while a broadcast is sent, so that all workers see broadcasts in one order.
    broadcasts: Mutex<()>,
    panic_handler: Option<PanicHandler>,
    pub(super) closing: AtomicBool,
    pub(super) closed: AtomicBool,
    #[cfg(feature = "async")]
    pub(crate) sending: Sending,
    /// How many times a worker began to take jobs out of another worker's queue.
    pub(super) moves: AtomicUsize,
    process: Process,
}

impl PoolShared {
    /// With at most `most_spares` spare threads.
    pub(super) fn new(
        workers: usize,
        most_spares: usize,
        spares: Spares,
        builder: &mut PoolBuilder,
    ) -> Result<(Self, Vec<Owner<JobHead>>), StartError> {
        register_if_alone();
        record::pool_begins(workers);
        let order = builder.order(most_spares);
        let sleep = Sleep::new(workers, most_spares, order.waiters_come());
        let (seats, owners) = Seats::new(workers, most_spares, sleep.tally());
        let dispatching = Dispatching::new(builder.dispatch, workers, builder.seed)?;
        let steal = builder.steal.unwrap_or(StealFunction::HALF);
        // A job that is sent behind another one has to be given to a worker that asks.
        let come_in_turn = dispatching.is_persistent_idle() && steal.jobs(2) > 0;
        let shared = Self {
            seats,
            sleep,
            spares,
            ending: Ending::new(),
            numbers: builder.numbers_below_workers.then(|| Numbers::new(workers)),
            order,
            width: builder.width,
            steal,
            keeps_order: builder.steal.is_none(),
            seed: builder.seed,
            dispatching: Mutex::new(dispatching),
            last_sent: LastSent::new(),
            lanes: Lanes::new(),
            injector: Queue::new(),
            idle: builder.idle,
            force_cost: ForceCost::new(),
            searching: Searching::new(workers, order, come_in_turn),
            patience: Patience::new(),
            placement: Placement::new(builder.directs_wake_ups),
            lends_seats: builder.lends_seats(),
            calls: Mutex::new(Vec::new()),
            broadcasts: Mutex::new(()),
            panic_handler: builder.panic_handler.take(),
            closing: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            #[cfg(feature = "async")]
            sending: Sending::default(),
            moves: AtomicUsize::new(0),
            process: Process::watched(),
        };
        Ok((shared, owners))
    }

    /// The number of workers. As many threads are active, if there is enough work.
    pub(crate) fn workers(&self) -> usize {
        self.seats.workers().len()
    }

    /// Sends a job from outside to the worker that the policy chooses.
    pub(crate) fn dispatch(self: &Arc<Self>, job: Job, kind: JobKind) {
        self.assert_same_process();
        if self.order.has_injector() {
            return self.inject([job], kind);
        }
        let worker = self.choose();
        let call = job.call.clone();
        self.seats[worker].queue.push([Queued { job, kind }]);
        self.wake_for(worker);
        self.wake_waiting(kind, call.as_ref(), 1);
    }

    /// The worker for one job. While no worker is idle, Persistent-Idle keeps to one, and the
    /// callers do not contend for its lock. While enough threads come, it keeps to one too: a
    /// worker that was woken and has not run yet gets the next jobs as well, and wakes another for
    /// them when it does.
    fn choose(&self) -> usize {
        if let Some(worker) = self.last_sent.persistent() {
            return worker;
        }
        let follows = self.enough_come().then(|| self.last_sent.worker());
        if let Some(worker) = follows.flatten() {
            return worker;
        }
        let mut dispatching = lock(&self.dispatching);
        let worker = dispatching.choose(self.seats.workers());
        self.last_sent.set(worker, dispatching.persists());
        worker
    }

    /// Whether so many threads are on their way to jobs from outside that one more would wait for a
    /// processor, and would be woken for a job that another could have run.
    fn enough_come(&self) -> bool {
        let is_enough = |most| self.sleep.counts().searching() >= most;
        self.searching.most_comers().is_some_and(is_enough)
    }

    /// Puts jobs into the one queue for jobs from outside, or into that of the worker that sends
    /// them.
    fn inject(self: &Arc<Self>, jobs: impl IntoIterator<Item = Job>, kind: JobKind) {
        let sender = Worker::current().filter(|worker| worker.is_of(self));
        let queue = match sender {
            Some(worker) => &self.seats[worker.queue_index()].queue,
            None => &self.injector,
        };
        let (mut call, mut count) = (None, 0);
        queue.push(jobs.into_iter().map(|job| {
            call.clone_from(&job.call);
            count += 1;
            Queued { job, kind }
        }));
        // Pairs with the fence of a thread that falls asleep.
        fence(Ordering::SeqCst);
        // A thread from outside may be about to wait for the job.
        self.wake_unless_searching(if sender.is_some() {
            Comes::Beside
        } else {
            Comes::Instead
        });
        self.wake_waiting(kind, call.as_ref(), count);
    }

    /// Wakes workers that wait for another pool, if these are jobs of a call that they may serve:
    /// one for each job.
    fn wake_waiting(&self, kind: JobKind, call: Option<&Arc<Call>>, jobs: usize) {
        let Some(call) = call.filter(|_| kind == JobKind::Call) else {
            return;
        };
        self.with_calls(|waiting| {
            let serving = waiting.iter().filter(|waiting| waiting.may_serve(call));
            // Those that are awake look at the queues before they sleep.
            serving.filter(|waiting| waiting.wake()).take(jobs).count();
        });
    }

    /// Wakes the workers that wait for another pool, for an independent job or for a pool's end.
    fn wake_waiting_outside(&self) {
        self.with_calls(|calls| {
            for waiting in calls {
                waiting.wake();
            }
        });
    }

    /// The same, if there are calls that they did not serve so far, and may serve now.
    pub(crate) fn wake_for_calls(&self) {
        if self.queues_from(0).any(Queue::has_lone_jobs) {
            self.wake_waiting_outside();
        }
    }

    /// Sends a batch of jobs from outside to the workers that the policy chooses. The batch is
    /// split over the idle workers, if there are any.
    pub(crate) fn dispatch_batch(self: &Arc<Self>, jobs: Vec<Job>, kind: JobKind) {
        self.assert_same_process();
        if self.order.has_injector() {
            return self.inject(jobs, kind);
        }
        let (call, count) = (jobs.first().and_then(|job| job.call.clone()), jobs.len());
        let mut jobs = jobs.into_iter().map(|job| Queued { job, kind });
        let mut dispatching = lock(&self.dispatching);
        for (worker, share) in dispatching.split(jobs.len(), self.seats.workers()) {
            self.seats[worker].queue.push(jobs.by_ref().take(share));
        }
        let recipients: Vec<usize> = dispatching.recipients().collect();
        // The last of them is drawn by the policy.
        self.last_sent.persist_no_more();
        drop(dispatching);
        recipients
            .into_iter()
            .for_each(|worker| self.wake_for(worker));
        self.wake_waiting(kind, call.as_ref(), count);
    }

    /// Puts jobs that a worker has spawned into its own queue, and wakes an idle worker that may
    /// take some of them.
    pub(crate) fn push_local(
        self: &Arc<Self>,
        worker: &Worker,
        jobs: impl IntoIterator<Item = Job>,
    ) {
        let kind = JobKind::Plain;
        let queued = jobs.into_iter().map(|job| Queued { job, kind });
        self.seats[worker.queue_index()].queue.push(queued);
        self.wake_for_jobs_of(worker);
    }

    /// The attention flags of all workers.
    pub(crate) fn attentions(&self) -> impl ExactSizeIterator<Item = &Attention> {
        self.seats.iter().map(|seat| seat.attention())
    }

    /// How many of the `queued` jobs of `victim` a worker without work may take: BFG03's f of the
    /// load. All, if no thread of the pool works for that seat or ever will.
    pub(crate) fn jobs_to_take(&self, victim: &Seat, queued: usize) -> usize {
        if victim.is_absent() || self.is_closing() && victim.is_without_thread() {
            return queued;
        }
        let load = (queued + usize::from(victim.is_busy())) as u64;
        usize::try_from(self.steal.jobs(load)).unwrap_or(usize::MAX)
    }

    /// Whether a worker without work may take plain jobs of `victim`, which has some. A job that is
    /// just arriving may not be counted yet; the thread that sends it wakes a worker after that.
    pub(crate) fn gives_jobs(&self, victim: &Seat) -> bool {
        self.jobs_to_take(victim, victim.queue.len().max(1)) > 0
    }

    /// Whether `worker`, which has no work, would find some.
    pub(crate) fn has_work_for(&self, worker: usize) -> bool {
        let stealable = |seat: &Seat| {
            let gives_jobs =
                || self.order.has_injector() || seat.queue.has_lone_jobs() || self.gives_jobs(seat);
            seat.has_forks() || !seat.queue.is_empty() && gives_jobs()
        };
        let mut others = self.seats.iter().enumerate();
        !self.injector.is_empty()
            || !self.seats[worker].queue.is_empty()
            || others.any(|(other, seat)| other != worker && stealable(seat))
    }

    /// All queues: those of the workers, beginning with worker `first`, and then that of jobs from
    /// outside.
    pub(crate) fn queues_from(&self, first: usize) -> impl Iterator<Item = &Queue> {
        let workers = self.seats.workers();
        let seats = workers[first..].iter().chain(&workers[..first]);
        seats.map(|seat| &seat.queue).chain([&self.injector])
    }

    /// Whether jobs from outside arrive in one queue for all workers.
    pub(crate) fn has_injector(&self) -> bool {
        self.order.has_injector()
    }

    /// Whether no job waits in that queue.
    pub(crate) fn has_taken_all_from_outside(&self) -> bool {
        self.injector.is_empty()
    }

    /// Whether a job waits that a worker has spawned, and that any worker may run.
    pub(crate) fn has_spawned_jobs(&self) -> bool {
        let mut seats = self.seats.workers().iter();
        seats.any(|seat| !seat.queue.is_empty())
    }

    /// Whether there are more forked jobs in the deques than so many searchers can take.
    pub(crate) fn has_more_forks_than(&self, searchers: usize) -> bool {
        let mut forks = 0;
        self.seats.iter().any(|seat| {
            forks += seat.forks();
            forks > searchers
        })
    }

    /// Whether there are more jobs in the queues than so many searchers can take, in a pool that
    /// left it to them to wake others for these jobs.
    pub(crate) fn has_more_jobs_than(&self, searchers: usize) -> bool {
        let mut jobs = 0;
        let mut has_more = |seat: &Padded<Seat>| {
            jobs += seat.queue.len();
            jobs > searchers
        };
        let most = self.searching.most_comers();
        most.is_some_and(|most| searchers < most) && self.seats.workers().iter().any(&mut has_more)
    }

    /// Whether `worker`, which is among the sleepers, has to stay awake: for its own jobs, the end
    /// of the pool, and unless `only_own` for any work.
    pub(crate) fn has_work_asleep(&self, worker: usize, only_own: bool) -> bool {
        let is_own = !self.seats[worker].queue.has_nothing() || self.all_is_done();
        is_own || !only_own && self.has_work_for(worker)
    }

    /// Lets the searching worker `worker` fall asleep. It is among the sleepers when `park` is
    /// called, and is searching when `stay_awake` is.
    pub(crate) fn sleep_idle(
        &self,
        worker: usize,
        timed_park: impl FnOnce() -> bool,
        park: impl FnOnce(),
        stay_awake: impl FnOnce(),
    ) {
        steps::sleep_idle(
            &self.sleep,
            worker,
            self.attentions(),
            || self.seats.started(),
            |only_own| self.has_work_asleep(worker, only_own),
            timed_park,
            park,
            stay_awake,
        );
    }

    /// Puts a job that a worker has spawned before all others of its own queue: a worker continues
    /// with its newest work, as it does with what it forks.
    pub(crate) fn push_spawned(self: &Arc<Self>, worker: &Worker, job: Job) {
        self.seats[worker.queue_index()].queue.push_spawned(job);
        self.wake_for_jobs_of(worker);
    }

    /// A spare thread uses the queue of a worker, which may be asleep: no other thread takes the
    /// only job of an idle worker.
    fn wake_for_jobs_of(self: &Arc<Self>, worker: &Worker) {
        if worker.is_spare() && !self.order.has_injector() {
            self.wake_for(worker.queue_index());
        } else {
            self.wake_unless_searching(Comes::Beside);
        }
    }

    /// Gives each worker its share of a broadcast.
    pub(crate) fn broadcast(&self, shares: impl IntoIterator<Item = Job>) {
        self.assert_same_process();
        let order = lock(&self.broadcasts);
        for (seat, job) in self.seats.workers().iter().zip(shares) {
            let kind = JobKind::Broadcast;
            seat.queue.push([Queued { job, kind }]);
        }
        drop(order);
        for (worker, seat) in self.seats.workers().iter().enumerate() {
            // A worker that is awake finds its share before it sleeps, or when it waits.
            if self.sleep.take(worker) {
                seat.parker.unpark();
            } else {
                seat.wake_waiting();
            }
        }
    }

    /// Wakes `worker` for a job in its queue. If it is awake it may be busy; then an idle worker is
    /// woken that may take the job.
    fn wake_for(self: &Arc<Self>, worker: usize) {
        if self.sleep.take(worker) {
            self.seats[worker].parker.unpark();
        } else {
            self.wake_unless_searching(Comes::Instead);
        }
    }

    /// Wakes an idle thread, unless one is searching or enough are active.
    fn wake_unless_searching(self: &Arc<Self>, comes: Comes) {
        if self.sleep.wants_one() {
            self.wake_one(comes);
        }
    }

    /// Wakes an idle thread, or starts a spare one. False if there is none.
    pub(crate) fn wake_one(self: &Arc<Self>, comes: Comes) -> bool {
        self.wake_free_thread(comes) || self.wake_waiter()
    }

    /// Wakes a waiting worker that may run anything. False if there is none, or one watches.
    pub(super) fn wake_waiter(&self) -> bool {
        let is_needed = || self.order.waiters_run_anything() || !self.sleep.is_watched();
        self.order.waiters_come()
            && !self.is_other_process()
            && is_needed()
            && self.seats.iter().any(Seat::wake_waiting)
    }

    /// A worker has run out of work: its token goes to the dispatcher. Jobs from outside are sent
    /// to workers only, so a spare thread has no token.
    pub(crate) fn post_token(&self, worker: usize) {
        if worker < self.workers() && !self.order.has_injector() {
            let mut dispatching = lock(&self.dispatching);
            dispatching.fell_idle(worker, self.seats.workers());
            self.last_sent.persist_no_more();
        }
    }

    /// A worker has found work by itself: its token becomes void.
    pub(crate) fn withdraw_token(&self, worker: usize) {
        if worker < self.workers() && !self.order.has_injector() {
            lock(&self.dispatching).withdraw(worker);
        }
    }

    pub(crate) fn with_calls<R>(&self, with: impl FnOnce(&mut Vec<WaitsOutside>) -> R) -> R {
        with(&mut lock(&self.calls))
    }

    pub(crate) fn report(&self, panic: Panic) {
        if let Some(handler) = &self.panic_handler {
            let report = std::panic::AssertUnwindSafe(|| handler(panic));
            // A panic of the handler was reported by the panic hook.
            discard(std::panic::catch_unwind(report));
        } else {
            discard(panic);
        }
    }

    /// # Panics
    ///
    /// In a forked process: the workers exist in its parent only.
    pub(crate) fn assert_same_process(&self) {
        assert!(
            !self.is_other_process(),
            "this process was forked from one with a filch pool, whose workers it does not have: \
             build a new Pool after fork(), or start the process with exec"
        );
    }

    /// Whether this process was forked from the one that has the workers.
    pub(crate) fn is_other_process(&self) -> bool {
        Process::current() != self.process
    }

    pub(crate) fn metrics(&self) -> Metrics {
        let spares = self.seats.spares().filter(|seat| !seat.is_absent());
        Metrics {
            workers: self
                .seats
                .workers()
                .iter()
                .map(|seat| seat.metrics())
                .collect(),
            spares: spares.map(Seat::metrics).collect(),
        }
    }
}
