//! Writing a schedule down while it happens.

use filch_workload::dag::{Dag, Executed, ThreadId};

use super::deque::Deque;
use super::ledger::Ledger;
use super::observe::{Event, MachineView, Observer};
use super::record::{Act, Pooled, Record, RecordedStep, RecordedThread, ServedRequest, Then};
use super::violation::Violation;

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
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
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
            Event::Began { .. } | Event::Sat { .. } | Event::Left { .. } => {}
            Event::Served {
                thief,
                victim,
                thread,
            } => {
                let thread = thread.map(|thread| self.place(thread));
                let step = self.record.steps.last_mut().expect("a step has begun");
                step.served.push(ServedRequest {
                    thief,
                    victim,
                    thread,
                });
            }
        }
    }
}
