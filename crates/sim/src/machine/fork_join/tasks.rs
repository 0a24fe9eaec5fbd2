//! The tasks that have been forked, in deques and on stacks.

use filch_workload::dag::ThreadId;

use super::seating::Seating;
use super::stolen::{Stolen, StolenTree};

/// A living thread of the computation.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    forked_by: Option<ThreadId>,
    /// The worker that has its frame, once it has begun.
    worker: usize,
}

/// Where every living thread of the computation is.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
    stolen: StolenTree,
    /// How many deques have something in them.
    filled: usize,
    /// The sum of the frames of tasks that have begun, now and at most.
    live: u64,
    most_live: u64,
    /// The most on one stack.
    deepest: u64,
}

impl Tasks {
    /// Whether there is a task to steal anywhere.
    pub(super) fn any(&self) -> bool {
        self.filled > 0
    }

    /// The most frames on all stacks together, and on one.
    pub(super) fn peaks(&self) -> [u64; 2] {
        [self.most_live, self.deepest]
    }

    /// The worker that has the frame of a task.
    pub(super) fn worker(&self, task: ThreadId) -> usize {
        self.tasks[task.index()].worker
    }

    pub(super) fn forked(&mut self, task: ThreadId, forked_by: Option<ThreadId>) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, Task::default());
        }
        self.tasks[task.index()].forked_by = forked_by;
    }

    /// The worker in seat `at` puts a task into its deque.
    pub(super) fn push(&mut self, seating: &mut Seating, at: usize, task: ThreadId) {
        seating.deques[at].push_bottom(task);
        if seating.deques[at].len() == 1 {
            self.filled += 1;
            let stolen = seating.worker(at).newest_stolen();
            self.stolen.offers(stolen.expect("what forks was stolen"));
        }
    }

    /// The worker in seat `at` takes the task back that its newest frame forked last.
    pub(super) fn pop(&mut self, seating: &mut Seating, at: usize) -> Option<ThreadId> {
        let task = seating.deques[at].pop_bottom()?;
        debug_assert_eq!(
            self.tasks[task.index()].forked_by,
            seating.worker(at).top(),
            "older tasks are stolen first"
        );
        self.taken(seating, at);
        Some(task)
    }

    /// A thief takes the oldest task of the deque at `victim`.
    pub(super) fn steal(&mut self, seating: &mut Seating, victim: usize) -> Option<ThreadId> {
        let task = seating.deques[victim].pop_top()?;
        self.taken(seating, victim);
        Some(task)
    }

    fn taken(&mut self, seating: &mut Seating, at: usize) {
        if seating.deques[at].is_empty() {
            self.filled -= 1;
            let stolen = seating.worker(at).newest_stolen();
            self.stolen
                .offers_nothing(stolen.expect("what forks was stolen"));
        }
    }

    /// The worker in seat `at` begins a task of `size`, on top of its stack.
    pub(super) fn begin(
        &mut self,
        seating: &mut Seating,
        at: usize,
        task: ThreadId,
        size: u64,
        is_stolen: bool,
    ) {
        let worker = seating.seats[at].worker;
        self.tasks[task.index()].worker = worker;
        let stolen = is_stolen.then(|| {
            let forked_by = self.tasks[task.index()].forked_by;
            // All that lies in a deque was forked since the newest stolen task of its worker began,
            // because a worker that begins to wait has an empty deque.
            let above = forked_by.and_then(|frame| {
                seating.workers[self.tasks[frame.index()].worker].newest_stolen()
            });
            self.stolen.begin(worker, task, forked_by, above)
        });
        seating.workers[worker].push(task, size, stolen);
        self.live += size;
        self.most_live = self.most_live.max(self.live);
        self.deepest = self.deepest.max(seating.workers[worker].depth());
    }

    /// The newest task of the worker in seat `at` has ended; returns whether it was a stolen one.
    pub(super) fn end(&mut self, seating: &mut Seating, at: usize, size: u64) -> bool {
        self.live -= size;
        let stolen = seating.worker(at).pop(size);
        if let Some(stolen) = stolen {
            self.stolen.end(stolen);
        }
        stolen.is_some()
    }

    /// The seat whose oldest task is below what the newest frame of `worker` waits for, if there is
    /// one.
    pub(super) fn below(
        &self,
        seating: &Seating,
        worker: usize,
        is_awaited: impl Fn(ThreadId) -> bool,
    ) -> Option<usize> {
        let waits = &seating.workers[worker];
        let (stolen, frame) = (waits.newest_stolen()?, waits.top()?);
        let offering = |worker: usize, task: Stolen| {
            let worker = &seating.workers[worker];
            let seat = worker.seat.filter(|&at| !seating.deques[at].is_empty());
            seat.filter(|_| worker.newest_stolen() == Some(task))
        };
        self.stolen
            .source_below(stolen, frame, is_awaited, offering)
    }

    /// The same, but only where the newest stolen task of a worker shows the way, and at most `far`
    /// more steals down.
    pub(super) fn near(
        &self,
        seating: &Seating,
        worker: usize,
        far: usize,
        is_awaited: &dyn Fn(ThreadId) -> bool,
    ) -> Option<usize> {
        let waits = &seating.workers[worker];
        let (stolen, frame) = (waits.newest_stolen()?, waits.top()?);
        self.stolen
            .awaited(stolen, frame, is_awaited)
            .find_map(|below| {
                let helper = self.stolen.worker(below);
                let seat = seating.workers[helper].seat?;
                if seating.workers[helper].newest_stolen() != Some(below) {
                    return None;
                }
                if !seating.deques[seat].is_empty() {
                    return Some(seat);
                }
                let goes_on = far > 0 && seating.seats[seat].waits();
                goes_on
                    .then(|| self.near(seating, helper, far - 1, is_awaited))
                    .flatten()
            })
    }
}
