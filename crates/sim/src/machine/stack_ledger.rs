//! What can be known about stacks, workers and seats by watching.

use filch_workload::dag::{Executed, ThreadId};

use super::observe::Event;

/// A book about the stacks of a [fork-join machine](super::ForkJoin), kept from events alone: it
/// does not ask the machine that it watches.
#[derive(Clone, Debug, Default)]
pub struct StackLedger {
    /// The frames of each worker, from the oldest to the newest, with their sizes.
    stacks: Vec<Vec<(ThreadId, u64)>>,
    /// The worker in each seat.
    seats: Vec<Option<usize>>,
    threads: Vec<Standing>,
    /// The sum of all frames, now and at most.
    pub live: u64,
    /// The most that `live` has been.
    pub most_live: u64,
    /// The most space on one stack, and the processor whose worker has it.
    pub deepest: (u64, usize),
    /// How many threads were spawned and have not begun.
    pub queued: usize,
    /// How many frames have no child with a frame.
    pub leaves: usize,
    /// How many workers have a seat, now and at most.
    pub seated: usize,
    /// The most that `seated` has been.
    pub most_seated: usize,
    /// For how many turns the worker in each seat has waited in vain while a thread was queued.
    held: Vec<u64>,
    /// The most turns that a worker has, and its processor.
    pub longest_held: (u64, usize),
    /// The first event that put a frame on one that it is not below: the processor, the frame, and
    /// the one under it.
    pub stranger: Option<(usize, ThreadId, ThreadId)>,
    /// The first event that no fork-join machine can produce.
    pub impossible: Option<(usize, &'static str)>,
}

/// A living thread of the computation.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    parent: Option<ThreadId>,
    has_begun: bool,
    /// Whether its next instruction waits for its children.
    is_stalled: bool,
    /// How many of its children have a frame.
    children: u32,
}

impl StackLedger {
    /// The newest frame of the worker in a seat.
    pub fn top(&self, processor: usize) -> Option<ThreadId> {
        let worker = self.seats.get(processor).copied().flatten()?;
        self.stacks[worker].last().map(|&(thread, _)| thread)
    }

    /// Whether no child of this thread has a frame.
    pub fn is_leaf(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].children == 0
    }

    /// How many seats have been named so far.
    pub fn seats(&self) -> usize {
        self.seats.len()
    }

    /// Writes down what happened.
    pub fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::Worked {
                processor,
                thread,
                executed,
                enabled,
                ..
            } => {
                self.worked(processor, thread, executed);
                for &other in enabled {
                    self.thread(other).is_stalled = false;
                }
            }
            Event::Began {
                processor,
                thread,
                frame,
            } => self.began(processor, thread, frame),
            Event::Sat { processor, worker } => self.sat(processor, worker),
            Event::Left { processor, worker } => self.left(processor, worker),
            Event::Waited { thief } => self.waited(thief),
            Event::Idled { processor } => self.waited(processor),
            Event::Asked { .. } | Event::Served { .. } => {}
        }
    }

    fn worked(&mut self, processor: usize, thread: ThreadId, executed: Executed) {
        if self.top(processor) != Some(thread) {
            let what = "it works on a thread that is not the newest on the stack of its worker";
            return self.accuse(processor, what);
        }
        self.held[processor] = 0;
        match executed {
            Executed::Continues => {}
            Executed::Stalls => self.thread(thread).is_stalled = true,
            Executed::Spawns(child) => {
                let child = self.thread(child);
                *child = Standing {
                    parent: Some(thread),
                    ..Standing::default()
                };
                self.queued += 1;
            }
            Executed::Dies(parent) => {
                self.leaves -= usize::from(self.is_leaf(thread));
                self.threads[thread.index()].has_begun = false;
                if let Some(parent) = parent {
                    let parent = &mut self.threads[parent.index()];
                    parent.children -= 1;
                    self.leaves += usize::from(parent.children == 0);
                }
                let worker = self.seats[processor].expect("it has a newest frame");
                let popped = self.stacks[worker].pop();
                self.live -= popped.map_or(0, |(_, frame)| frame);
            }
        }
    }

    fn began(&mut self, processor: usize, thread: ThreadId, frame: u64) {
        let Some(worker) = self.seats.get(processor).copied().flatten() else {
            return self.accuse(processor, "a thread begins without a worker");
        };
        self.held[processor] = 0;
        let standing = self.thread(thread);
        if std::mem::replace(&mut standing.has_begun, true) {
            return self.accuse(processor, "a thread begins twice");
        }
        let parent = standing.parent;
        if let Some(&(under, _)) = self.stacks[worker].last()
            && self.stranger.is_none()
            && !self.is_below(thread, under)
        {
            self.stranger = Some((processor, thread, under));
        }
        if let Some(parent) = parent {
            self.queued -= 1;
            let parent = &mut self.threads[parent.index()];
            self.leaves -= usize::from(parent.children == 0);
            parent.children += 1;
        }
        self.leaves += 1;
        self.stacks[worker].push((thread, frame));
        self.live += frame;
        self.most_live = self.most_live.max(self.live);
        let depth = self.stacks[worker].iter().map(|&(_, frame)| frame).sum();
        if depth > self.deepest.0 {
            self.deepest = (depth, processor);
        }
    }

    fn waited(&mut self, processor: usize) {
        let top = self.top(processor);
        let in_vain = top.is_some_and(|top| self.threads[top.index()].is_stalled);
        let Some(held) = self.held.get_mut(processor) else {
            return;
        };
        *held = if in_vain && self.queued > 0 {
            *held + 1
        } else {
            0
        };
        if *held > self.longest_held.0 {
            self.longest_held = (*held, processor);
        }
    }

    fn sat(&mut self, processor: usize, worker: usize) {
        if self.seats.len() <= processor {
            self.seats.resize(processor + 1, None);
            self.held.resize(processor + 1, 0);
        }
        self.held[processor] = 0;
        if self.stacks.len() <= worker {
            self.stacks.resize(worker + 1, Vec::new());
        }
        if self.seats[processor].is_some() {
            return self.accuse(processor, "a worker sits down in a seat that is taken");
        }
        if self.seats.contains(&Some(worker)) {
            return self.accuse(processor, "a worker sits down that has a seat already");
        }
        self.seats[processor] = Some(worker);
        self.seated += 1;
        self.most_seated = self.most_seated.max(self.seated);
    }

    fn left(&mut self, processor: usize, worker: usize) {
        match self.seats.get(processor) {
            Some(&Some(sits)) if sits == worker => {
                self.seats[processor] = None;
                self.seated -= 1;
            }
            _ => self.accuse(processor, "a worker leaves a seat that it does not have"),
        }
    }

    fn accuse(&mut self, processor: usize, what: &'static str) {
        self.impossible.get_or_insert((processor, what));
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Standing {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, Standing::default());
        }
        &mut self.threads[thread.index()]
    }

    /// Whether `elder` is an ancestor of `younger`.
    fn is_below(&self, younger: ThreadId, elder: ThreadId) -> bool {
        let mut above = self.threads[younger.index()].parent;
        while let Some(thread) = above
            && thread != elder
        {
            above = self.threads[thread.index()].parent;
        }
        above == Some(elder)
    }
}
