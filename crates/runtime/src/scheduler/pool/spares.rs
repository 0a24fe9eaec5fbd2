//! Spare threads: they run what there is to do while a worker waits or blocks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use filch_deque::Owner;

use super::ending::Alive;
use super::shared::PoolShared;
use super::start::{Handler, WorkerStart};
use crate::scheduler::job::{JobHead, discard};
use crate::sleep::Attention;
use crate::sync::{Arc, Mutex, lock, thread};

/// How spare threads are started, and those that have been.
pub(super) struct Spares {
    /// The names of the workers' threads, if they have any: the first spare one is named as the
    /// first worker is.
    names: Mutex<Vec<Option<String>>>,
    stack_size: Option<usize>,
    handlers: (Option<Handler>, Option<Handler>),
    started: Mutex<Started>,
}

struct Started {
    threads: Vec<thread::JoinHandle<()>>,
    /// A seat for which there was no thread so far, with its deque.
    vacant: Option<(usize, Owner<JobHead>)>,
    /// The last attempt failed: no other is made until then.
    refused: Option<Refused>,
}

struct Refused {
    until: Instant,
    pause: Duration,
}

/// After a thread was refused, the next is asked for after this long at the earliest, and then
/// after twice as long each time. A pool asks whenever it has work and too few threads, and an
/// attempt that fails takes tens of microseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Spares {
    pub(super) fn new(
        stack_size: Option<usize>,
        handlers: (Option<Handler>, Option<Handler>),
    ) -> Self {
        Self {
            names: Mutex::new(Vec::new()),
            stack_size,
            handlers,
            started: Mutex::new(Started {
                threads: Vec::new(),
                vacant: None,
                refused: None,
            }),
        }
    }

    /// The next worker's thread has this name.
    pub(super) fn add_name(&self, name: Option<String>) {
        // The thread of a worker that is given one may have any name; the standard library panics
        // if one that it is to start has a zero in its name.
        lock(&self.names).push(name.filter(|name| !name.contains('\0')));
    }

    /// The threads that have been started, for the pool to wait for.
    pub(super) fn take_threads(&self) -> Vec<thread::JoinHandle<()>> {
        core::mem::take(&mut lock(&self.started).threads)
    }

    fn thread(&self, index: usize) -> thread::Builder {
        let mut builder = thread::Builder::new();
        let names = lock(&self.names);
        // All workers have been named, or their pool is not built yet.
        let name = index.checked_rem(names.len()).map(|worker| &names[worker]);
        if let Some(Some(name)) = name {
            builder = builder.name(name.clone());
        }
        if let Some(bytes) = self.stack_size {
            builder = builder.stack_size(bytes);
        }
        builder
    }
}

impl PoolShared {
    /// Starts a spare thread, which searches. False if there are to be no more, or the system gives
    /// none.
    pub(super) fn start_spare(self: &Arc<Self>) -> bool {
        // A forked process has none of the threads of this pool, and gets none.
        if !self.sleep.may_start() || self.is_other_process() {
            return false;
        }
        // One at a time: the seats are numbered.
        let mut started = lock(&self.spares.started);
        let is_too_soon = |refused: &Refused| Instant::now() < refused.until;
        if started.refused.as_ref().is_some_and(is_too_soon) || !self.sleep.begin_start() {
            return false;
        }
        let (index, deque) = match started.vacant.take() {
            Some(vacant) => vacant,
            None => self.seats.add(self.sleep.tally()),
        };
        self.seats[index].mark_absent(false);
        let start = WorkerStart::new(deque, Arc::clone(self), index, self.spares.handlers.clone());
        // The thread takes it out. If there is no thread, it is still there.
        let slot = Arc::new(Mutex::new(Some(start)));
        let run = {
            let (slot, alive) = (Arc::clone(&slot), Alive::of(self));
            move || {
                let start = lock(&slot).take();
                if let Some(start) = start {
                    start.run();
                }
                drop(alive);
            }
        };
        // Frames that other threads write into may lie below: nothing may unwind from here.
        let spawn = AssertUnwindSafe(|| self.spares.thread(index).spawn(run));
        match catch_unwind(spawn) {
            Ok(Ok(thread)) => {
                started.threads.push(thread);
                started.refused = None;
                true
            }
            failed => {
                discard(failed);
                let deque = lock(&slot).take().and_then(WorkerStart::into_deque);
                started.vacant = deque.map(|deque| (index, deque));
                let pause = started
                    .refused
                    .as_ref()
                    .map_or(FIRST_PAUSE, |refused| LONGEST_PAUSE.min(2 * refused.pause));
                let until = Instant::now() + pause;
                started.refused = Some(Refused { until, pause });
                drop(started);
                self.spare_was_refused(index);
                false
            }
        }
    }

    /// The thread of this spare seat was counted as a searcher, and there is none.
    fn spare_was_refused(&self, index: usize) {
        self.seats[index].mark_absent(true);
        self.sleep.start_failed();
        // A worker that forked meanwhile has left its fork to that searcher. It asks again at its
        // next fork.
        self.attentions().for_each(Attention::raise);
    }
}
