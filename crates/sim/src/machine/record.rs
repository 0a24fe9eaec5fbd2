//! A schedule as a value that can be drawn and replayed.

use filch_workload::dag::{Dag, Executed, ThreadId};
use serde::Serialize;

use super::deque::Deque;
use super::ledger::Ledger;
use super::observe::{Event, Observer, View};
use super::violation::Violation;

/// Everything that happened in a run, step by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// P.
    pub processors: usize,
    /// The threads in the order of their births.
    pub threads: Vec<RecordedThread>,
    /// The steps, the first of which has number 1.
    pub steps: Vec<RecordedStep>,
}

/// A thread of a recorded run; elsewhere it is named by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedThread {
    /// What it is called.
    pub name: String,
    /// Its parent's place in the list.
    pub parent: Option<usize>,
    /// The size of its frame.
    pub frame: u64,
}

/// A step: how it began and what was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedStep {
    /// For each processor its deque from bottom to top when the step began; empty if the machine
    /// has none.
    pub deques: Vec<Vec<usize>>,
    /// The living threads that no processor worked on and that were in no deque when the step
    /// began.
    pub pool: Vec<Pooled>,
    /// What each processor did.
    pub acts: Vec<Act>,
    /// The requests that were served at the end of the step.
    pub served: Vec<Served>,
}

/// A thread that waits where all processors can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pooled {
    /// Which.
    pub thread: usize,
    /// Whether it is ready; otherwise it is stalled.
    pub ready: bool,
}

/// What a processor did in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "act", rename_all = "lowercase")]
pub enum Act {
    /// It executed an instruction.
    Work {
        /// Of this thread.
        thread: usize,
        /// This one.
        instruction: String,
        /// The thread that it spawned.
        #[serde(skip_serializing_if = "Option::is_none")]
        spawns: Option<usize>,
        /// The stalled threads that it enabled.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        enables: Vec<usize>,
        /// What became of the thread.
        then: Then,
    },
    /// It began a steal attempt.
    Steal {
        /// On this processor.
        victim: usize,
    },
    /// It waited for a request that was not served yet.
    Wait,
    /// It had nothing to do.
    Idle,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// It could go on.
    Ready,
    /// It had to wait.
    Stalled,
    /// It ended.
    Dead,
}

/// A request that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Served {
    /// Who asked.
    pub thief: usize,
    /// Who was asked.
    pub victim: usize,
    /// The stolen thread, if there was one.
    pub thread: Option<usize>,
}

/// Writes a [`Record`].
#[derive(Clone, Debug)]
pub struct Recorder<'a> {
    ledger: Ledger<'a>,
    /// How many steps to write down at most.
    limit: usize,
    record: Record,
}

impl<'a> Recorder<'a> {
    /// Of a run of a computation with this root, for at most `limit` steps.
    pub fn new(
        root: (ThreadId, u64),
        names: Option<&'a Dag>,
        processors: usize,
        limit: usize,
    ) -> Self {
        let ledger = Ledger::new(root.0, root.1, names);
        let name = ledger.name(root.0);
        Self {
            limit,
            record: Record {
                processors,
                threads: vec![RecordedThread {
                    name,
                    parent: None,
                    frame: root.1,
                }],
                steps: Vec::new(),
            },
            ledger,
        }
    }

    /// What was written.
    pub fn record(self) -> Record {
        self.record
    }

    /// A thread's place in the list of threads.
    fn place(&self, thread: ThreadId) -> usize {
        self.ledger.entry(thread).number as usize - 1
    }

    fn worked(&mut self, event: &Event<'_>) {
        let &Event::Worked {
            processor,
            thread,
            executed,
            frame,
            enabled,
        } = event
        else {
            return;
        };
        let (spawns, then) = match executed {
            Executed::Continues => (None, Then::Ready),
            Executed::Spawns(child) => (Some(child), Then::Ready),
            Executed::Stalls => (None, Then::Stalled),
            Executed::Dies(_) => (None, Then::Dead),
        };
        let act = Act::Work {
            thread: self.place(thread),
            instruction: self.ledger.instruction(thread),
            spawns: spawns.map(|child| self.place(child)),
            enables: enabled.iter().map(|&other| self.place(other)).collect(),
            then,
        };
        if let Some(child) = spawns {
            self.record.threads.push(RecordedThread {
                name: self.ledger.name(child),
                parent: Some(self.place(thread)),
                frame,
            });
        }
        self.set(processor, act);
    }

    fn set(&mut self, processor: usize, act: Act) {
        let step = self.record.steps.last_mut().expect("a step has begun");
        step.acts[processor] = act;
    }
}

impl Observer for Recorder<'_> {
    fn begins(&mut self, view: &View<'_>) -> Result<(), Violation> {
        if self.record.steps.len() >= self.limit {
            return Err(Violation {
                invariant: "the limit of the record",
                step: view.step,
                processor: None,
                deque: Vec::new(),
                what: format!("at most {} steps can be shown", self.limit),
            });
        }
        let mut held = vec![false; self.record.threads.len()];
        let hands = view.hands.iter().flatten().copied();
        for thread in hands.chain(view.deques.iter().flat_map(Deque::from_bottom)) {
            held[self.place(thread)] = true;
        }
        let pool = self.ledger.living().into_iter().map(|thread| Pooled {
            thread: self.place(thread),
            ready: self.ledger.entry(thread).ready,
        });
        let deque = |deque: &Deque| {
            deque
                .from_bottom()
                .map(|thread| self.place(thread))
                .collect()
        };
        let step = RecordedStep {
            deques: view.deques.iter().map(deque).collect(),
            pool: pool.filter(|pooled| !held[pooled.thread]).collect(),
            acts: vec![Act::Idle; self.record.processors],
            served: Vec::new(),
        };
        self.record.steps.push(step);
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        self.ledger.note(event);
        match *event {
            Event::Worked { .. } => self.worked(event),
            Event::Asked { thief, victim } => self.set(thief, Act::Steal { victim }),
            Event::Waited { thief } => self.set(thief, Act::Wait),
            Event::Idled { processor } => self.set(processor, Act::Idle),
            Event::Served {
                thief,
                victim,
                thread,
            } => {
                let thread = thread.map(|thread| self.place(thread));
                let step = self.record.steps.last_mut().expect("a step has begun");
                step.served.push(Served {
                    thief,
                    victim,
                    thread,
                });
            }
        }
    }
}
