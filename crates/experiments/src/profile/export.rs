//! A recorded dag as a computation of unit-time instructions.

use std::fmt;

use filch_profile::{Dag, Duration, Profile, Step, TaskId};
use filch_workload::dag::{Dag as Instructions, DagBuilder, Instruction, Thread};

/// A sub-computation that takes less than so many instructions is written as one strand.
const LEAST: u64 = 4;

/// A recorded dag in the form that `filch dag run --file` reads.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The sections one after the other. A closure of a join and a child of a scope are threads;
    /// the body of a scope belongs to the thread that opens it.
    pub dag: Instructions,
    /// The time that an instruction stands for. A join takes up to four instructions more, and a
    /// child of a scope one.
    pub quantum: Duration,
}

/// Why a profile cannot be written as instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// There is no section, or there is no work in any.
    Nothing,
    /// A child is spawned into a scope that another task has opened. Such a computation is not
    /// strict: in a file every thread joins with the one that spawned it.
    Stray,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "no section has any work",
            Self::Stray => {
                "a task spawns into a scope that another task has opened, and in a file every \
                 thread joins with the one that spawned it"
            }
        })
    }
}

impl std::error::Error for ExportError {}

impl Exported {
    /// The sections of a profile in at most `most` instructions, or a few more than the sections
    /// themselves need.
    ///
    /// # Errors
    ///
    /// If there is no work, or a task spawns into a scope of another.
    pub fn of(profile: &Profile, most: u64) -> Result<Self, ExportError> {
        let roots: Vec<TaskId> = profile
            .sections
            .iter()
            .map(|section| section.root)
            .collect();
        let works = works(&profile.dag);
        let work: u64 = roots.iter().map(|root| works[root.0 as usize]).sum();
        if work == 0 {
            return Err(ExportError::Nothing);
        }
        let mut quantum = (work / most.max(1)).max(1);
        let fits = |quantum| {
            let counts = counts(&profile.dag, &works, quantum);
            let all = roots.iter().map(|root| counts[root.0 as usize]);
            all.fold(0, u64::saturating_add) <= most
        };
        while quantum < work && !fits(quantum) {
            quantum = (quantum + quantum / 4 + 1).min(work);
        }
        let mut writer = Writer {
            dag: &profile.dag,
            works: &works,
            strays: strays(&profile.dag),
            quantum,
            builder: DagBuilder::new(),
            threads: 0,
            instructions: 0,
        };
        let thread = writer.thread();
        let mut at = Place::new(thread);
        for &root in &roots {
            writer.scope(root, &mut at)?;
        }
        writer.finish(&mut at);
        Ok(Self {
            dag: writer.builder.build().expect("a well-formed computation"),
            quantum: Duration::from_picos(quantum),
        })
    }
}

/// The work of each task.
fn works(dag: &Dag) -> Vec<u64> {
    let mut works: Vec<u64> = Vec::with_capacity(dag.len());
    for (_, task, _) in dag.iter() {
        let mut work = 0u64;
        for step in &task.steps {
            if let Step::Work(time) = step {
                work = work.saturating_add(time.picos());
            }
            for child in step.children() {
                work = work.saturating_add(works[child.0 as usize]);
            }
        }
        works.push(work);
    }
    works
}

/// Whether each task leaves children behind, for which a scope around it waits.
fn strays(dag: &Dag) -> Vec<bool> {
    let mut strays: Vec<bool> = Vec::with_capacity(dag.len());
    for (_, task, _) in dag.iter() {
        let leaves = task.steps.iter().any(|step| match *step {
            Step::Work(_) | Step::Scope { .. } => false,
            Step::Join { first, second, .. } => {
                strays[first.0 as usize] || strays[second.0 as usize]
            }
            Step::Spawn { .. } => true,
        });
        strays.push(leaves);
    }
    strays
}

/// How many instructions each task takes at most.
fn counts(dag: &Dag, works: &[u64], quantum: u64) -> Vec<u64> {
    let mut counts: Vec<u64> = Vec::with_capacity(dag.len());
    for (id, task, _) in dag.iter() {
        let work = works[id.0 as usize];
        if work < LEAST.saturating_mul(quantum) {
            counts.push(work.div_ceil(quantum).max(1));
            continue;
        }
        let mut count = 1u64;
        for step in &task.steps {
            let own = match step {
                Step::Work(time) => time.picos().div_ceil(quantum),
                Step::Join { .. } => 4,
                Step::Spawn { .. } => 1,
                Step::Scope { .. } => 2,
            };
            count = count.saturating_add(own);
            for child in step.children() {
                count = count.saturating_add(counts[child.0 as usize]);
            }
        }
        counts.push(count);
    }
    counts
}

/// Where a thread has come to.
struct Place {
    thread: Thread,
    /// Time that has passed and is not written yet, less than a quantum.
    owed: u64,
    /// Whether the last instruction spawns.
    just_spawned: bool,
    /// The last instruction; none at the beginning.
    last: Option<Instruction>,
    /// The last instructions of the children of the innermost open scope; none if a task further
    /// out has opened it.
    children: Option<Vec<Instruction>>,
}

impl Place {
    fn new(thread: Thread) -> Self {
        Self {
            thread,
            owed: 0,
            just_spawned: false,
            last: None,
            children: None,
        }
    }
}

struct Writer<'a> {
    dag: &'a Dag,
    works: &'a [u64],
    /// Whether a task leaves children behind.
    strays: Vec<bool>,
    quantum: u64,
    builder: DagBuilder,
    threads: u64,
    instructions: u64,
}

impl Writer<'_> {
    fn thread(&mut self) -> Thread {
        self.threads += 1;
        self.builder.thread(format!("t{}", self.threads), 1)
    }

    fn instruction(&mut self, at: &mut Place) -> Instruction {
        self.instructions += 1;
        let name = self.instructions.to_string();
        let instruction = self.builder.instruction(at.thread, name);
        at.last = Some(instruction);
        at.just_spawned = false;
        instruction
    }

    fn work(&mut self, time: u64, at: &mut Place) {
        at.owed += time;
        while at.owed >= self.quantum {
            at.owed -= self.quantum;
            self.instruction(at);
        }
    }

    /// The steps of a task, in the thread at hand.
    fn task(&mut self, task: TaskId, at: &mut Place) -> Result<(), ExportError> {
        let work = self.works[task.0 as usize];
        if work < LEAST * self.quantum {
            self.work(work, at);
            return Ok(());
        }
        let dag = self.dag;
        for step in &dag[task].steps {
            match *step {
                Step::Work(time) => self.work(time.picos(), at),
                Step::Join { first, second, .. } => {
                    let second = self.fork(second, at)?;
                    // A closure that leaves children behind for a scope of this thread has to spawn
                    // them from this thread.
                    if self.strays[first.0 as usize] {
                        self.task(first, at)?;
                        self.join(&[second], at);
                    } else {
                        let first = self.fork(first, at)?;
                        self.join(&[second, first], at);
                    }
                }
                Step::Scope { body, .. } => self.scope(body, at)?,
                Step::Spawn { child, .. } => {
                    if at.children.is_none() {
                        return Err(ExportError::Stray);
                    }
                    let child = self.fork(child, at)?;
                    at.children.as_mut().expect("it was there").push(child);
                }
            }
        }
        Ok(())
    }

    /// A task in the thread at hand that waits for all children spawned into it.
    fn scope(&mut self, body: TaskId, at: &mut Place) -> Result<(), ExportError> {
        let outer = at.children.replace(Vec::new());
        self.task(body, at)?;
        let children = std::mem::replace(&mut at.children, outer);
        self.join(&children.unwrap_or_default(), at);
        Ok(())
    }

    /// An instruction that spawns a thread for `task`; returns the last instruction of the thread.
    fn fork(&mut self, task: TaskId, at: &mut Place) -> Result<Instruction, ExportError> {
        let spawns = self.instruction(at);
        at.just_spawned = true;
        let thread = self.thread();
        self.builder.spawn(spawns, thread);
        let mut child = Place::new(thread);
        self.task(task, &mut child)?;
        Ok(self.finish(&mut child))
    }

    /// An instruction that waits for those of children.
    fn join(&mut self, children: &[Instruction], at: &mut Place) {
        if children.is_empty() {
            return;
        }
        if at.just_spawned {
            self.instruction(at);
        }
        let joins = self.instruction(at);
        for &child in children {
            self.builder.join(child, joins);
        }
    }

    /// The last instruction of a thread, which has one at least and does not end with a spawn.
    fn finish(&mut self, at: &mut Place) -> Instruction {
        match at.last {
            Some(last) if !at.just_spawned => last,
            _ => self.instruction(at),
        }
    }
}
