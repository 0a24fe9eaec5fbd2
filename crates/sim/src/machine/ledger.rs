//! What can be known about the living threads by watching.

use filch_workload::dag::{Dag, Executed, ThreadId};

use super::observe::Event;

/// A book about living threads, kept from events alone: it does not ask the machine that it
/// watches.
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    names: Option<&'a Dag>,
    entries: Vec<LivingThread>,
    born: u64,
    /// How many living threads there are.
    pub living: usize,
    /// How many of them have no living child: the leaves of BL99's spawn subtree.
    pub leaves: usize,
    /// How many of them are ready.
    pub ready: usize,
    /// The sum of their frames.
    pub space: u64,
}

/// A living thread.
#[derive(Clone, Copy, Debug)]
pub struct LivingThread {
    /// Its number in the order of births, from 1.
    pub number: u64,
    /// The size of its frame.
    pub frame: u64,
    /// Its parent, and how many instructions the parent had executed when it was spawned.
    pub parent: Option<(ThreadId, u64)>,
    /// How many instructions it has executed.
    pub executed: u64,
    /// How many of its children live.
    pub living_children: u32,
    /// Whether it could be executed.
    pub ready: bool,
    /// Whether it lives.
    pub alive: bool,
}

const NOT_BORN: LivingThread = LivingThread {
    number: 0,
    frame: 0,
    parent: None,
    executed: 0,
    living_children: 0,
    ready: false,
    alive: false,
};

impl<'a> Ledger<'a> {
    /// A book about a computation with this root. Threads and instructions of a `dag` are called
    /// by their names there, others are numbered as they are born.
    pub fn new(root: ThreadId, frame: u64, names: Option<&'a Dag>) -> Self {
        let mut ledger = Self {
            names,
            entries: Vec::new(),
            born: 0,
            living: 0,
            leaves: 0,
            ready: 0,
            space: 0,
        };
        ledger.birth(root, frame, None);
        ledger
    }

    /// A thread that lives or has just died.
    pub fn entry(&self, thread: ThreadId) -> &LivingThread {
        &self.entries[thread.index()]
    }

    /// All living threads, in the order of their births.
    pub fn living(&self) -> Vec<ThreadId> {
        let mut living: Vec<ThreadId> = (0..self.entries.len())
            .filter(|&at| self.entries[at].alive)
            .map(ThreadId::new)
            .collect();
        living.sort_by_key(|&thread| self.entry(thread).number);
        living
    }

    /// What to call a thread.
    pub fn name(&self, thread: ThreadId) -> String {
        match self.names {
            Some(dag) => dag.thread_name_of(thread.index()).to_owned(),
            None => format!("t{}", self.entry(thread).number),
        }
    }

    /// What to call the instruction that a thread executed last.
    pub fn instruction(&self, thread: ThreadId) -> String {
        let executed = self.entry(thread).executed;
        match self.names {
            Some(dag) => {
                let first = dag.instructions_of(thread.index()).start;
                dag.name_of(first + executed as usize - 1).to_owned()
            }
            None => executed.to_string(),
        }
    }

    /// Writes down what happened.
    pub fn note(&mut self, event: &Event<'_>) {
        let &Event::Worked {
            thread,
            executed,
            frame,
            enabled,
            ..
        } = event
        else {
            return;
        };
        self.entries[thread.index()].executed += 1;
        match executed {
            Executed::Continues => {}
            Executed::Spawns(child) => {
                let parent = &mut self.entries[thread.index()];
                self.leaves -= usize::from(parent.living_children == 0);
                parent.living_children += 1;
                let since = parent.executed;
                self.birth(child, frame, Some((thread, since)));
            }
            Executed::Stalls => {
                self.entries[thread.index()].ready = false;
                self.ready -= 1;
            }
            Executed::Dies(parent) => self.death(thread, parent),
        }
        for other in enabled {
            self.entries[other.index()].ready = true;
        }
        self.ready += enabled.len();
    }

    fn birth(&mut self, thread: ThreadId, frame: u64, parent: Option<(ThreadId, u64)>) {
        if self.entries.len() <= thread.index() {
            self.entries.resize(thread.index() + 1, NOT_BORN);
        }
        self.born += 1;
        self.entries[thread.index()] = LivingThread {
            number: self.born,
            frame,
            parent,
            ready: true,
            alive: true,
            ..NOT_BORN
        };
        self.living += 1;
        self.leaves += 1;
        self.ready += 1;
        self.space += frame;
    }

    fn death(&mut self, thread: ThreadId, parent: Option<ThreadId>) {
        let entry = &mut self.entries[thread.index()];
        self.leaves -= usize::from(entry.living_children == 0);
        self.space -= entry.frame;
        (entry.alive, entry.ready) = (false, false);
        self.living -= 1;
        self.ready -= 1;
        if let Some(parent) = parent {
            let parent = &mut self.entries[parent.index()];
            parent.living_children -= 1;
            self.leaves += usize::from(parent.living_children == 0);
        }
    }
}
