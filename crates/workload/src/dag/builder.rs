//! Putting a computation together.

use std::collections::{HashMap, HashSet};

use super::error::DagError;
use super::explicit::{Dag, ThreadSpan};

/// A thread of a computation under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread(pub(super) usize);

/// An instruction of a computation under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction(pub(super) usize);

/// Collects threads, instructions and edges; [`build`](Self::build) says whether they are a
/// computation.
///
/// It refuses what is not acyclic and what breaks the assumptions of BL99 section 2: an instruction
/// spawns at most one thread; no join edge enters the instruction right after a spawn; a parent
/// outlives its children. The last is asked for in the form that every thread's last instruction
/// has a join edge to its parent; in a strict computation nothing else can ensure it. (A third
/// assumption, a constant number of join edges at an instruction, names no constant and is not
/// checked.)
///
/// ```
/// use filch_workload::dag::DagBuilder;
///
/// let mut dag = DagBuilder::new();
/// let (root, child) = (dag.thread("root", 1), dag.thread("child", 2));
/// let [fork, _between, sum] = ["fork", "between", "sum"].map(|name| dag.instruction(root, name));
/// let leaf = dag.instruction(child, "leaf");
/// dag.spawn(fork, child);
/// dag.join(leaf, sum);
/// let measures = dag.build()?.measures();
/// assert_eq!((measures.work, measures.span, measures.stack_depth), (4, 3, 3));
/// # Ok::<(), filch_workload::dag::DagError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DagBuilder {
    threads: Vec<NewThread>,
    instructions: Vec<NewInstruction>,
    spawns: Vec<(Instruction, Thread)>,
    joins: Vec<(Instruction, Instruction)>,
}

#[derive(Clone, Debug)]
struct NewThread {
    name: String,
    frame: u64,
    instructions: Vec<usize>,
}

#[derive(Clone, Debug)]
struct NewInstruction {
    name: String,
    thread: usize,
}

impl DagBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a thread with a frame of this size.
    pub fn thread(&mut self, name: impl Into<String>, frame: u64) -> Thread {
        self.threads.push(NewThread {
            name: name.into(),
            frame,
            instructions: Vec::new(),
        });
        Thread(self.threads.len() - 1)
    }

    /// Adds an instruction after the last of `thread`.
    pub fn instruction(&mut self, thread: Thread, name: impl Into<String>) -> Instruction {
        let at = self.instructions.len();
        self.instructions.push(NewInstruction {
            name: name.into(),
            thread: thread.0,
        });
        self.threads[thread.0].instructions.push(at);
        Instruction(at)
    }

    /// Adds a spawn edge: executing `from` creates `child`.
    pub fn spawn(&mut self, from: Instruction, child: Thread) {
        self.spawns.push((from, child));
    }

    /// Adds a join edge: `to` waits for `from`.
    pub fn join(&mut self, from: Instruction, to: Instruction) {
        self.joins.push((from, to));
    }

    /// The computation, if it is one.
    pub fn build(self) -> Result<Dag, DagError> {
        self.check_threads()?;
        let spawned_by = self.check_spawns()?;
        self.check_joins(&spawned_by)?;
        let dag = self.laid_out(&spawned_by);
        match dag.cycle() {
            None => Ok(dag),
            Some(cycle) => Err(DagError::Cycle(
                cycle
                    .into_iter()
                    .map(|at| dag.name_of(at).to_owned())
                    .collect(),
            )),
        }
    }

    fn check_threads(&self) -> Result<(), DagError> {
        if self.threads.is_empty() {
            return Err(DagError::Empty);
        }
        for thread in &self.threads {
            if thread.instructions.is_empty() {
                return Err(DagError::NoInstruction(thread.name.clone()));
            }
            if thread.frame > u64::from(u32::MAX) {
                return Err(DagError::Frame(thread.name.clone()));
            }
        }
        unique(self.threads.iter().map(|thread| &*thread.name))?;
        unique(self.instructions.iter().map(|at| &*at.name))
    }

    /// The instruction that spawns each thread; one thread, the root, has none.
    fn check_spawns(&self) -> Result<Vec<Option<usize>>, DagError> {
        let mut spawned_by = vec![None; self.threads.len()];
        let mut spawns = HashSet::new();
        for &(Instruction(from), Thread(child)) in &self.spawns {
            if let Some(first) = spawned_by[child].replace(from) {
                let names = [first, from].map(|at| self.instructions[at].name.clone());
                return Err(DagError::SpawnedTwice(
                    self.threads[child].name.clone(),
                    names,
                ));
            }
            if !spawns.insert(from) {
                return Err(DagError::TwoSpawns(self.instructions[from].name.clone()));
            }
        }
        let mut roots = (0..self.threads.len()).filter(|&thread| spawned_by[thread].is_none());
        match (roots.next(), roots.next()) {
            (None, _) => Err(DagError::NoRoot),
            (_, Some(second)) => Err(DagError::NeverSpawned(self.threads[second].name.clone())),
            _ => Ok(spawned_by),
        }
    }

    fn check_joins(&self, spawned_by: &[Option<usize>]) -> Result<(), DagError> {
        let name = |at: usize| self.instructions[at].name.clone();
        let thread_of = |at: usize| self.instructions[at].thread;
        let spawning: HashSet<usize> = spawned_by.iter().flatten().copied().collect();
        let mut before = vec![None; self.instructions.len()];
        for thread in &self.threads {
            for pair in thread.instructions.windows(2) {
                before[pair[1]] = Some(pair[0]);
            }
        }
        let mut seen = HashSet::new();
        for &(Instruction(from), Instruction(to)) in &self.joins {
            if thread_of(from) == thread_of(to) {
                return Err(DagError::JoinInside(name(from), name(to)));
            }
            if !seen.insert((from, to)) {
                return Err(DagError::SameJoin(name(from), name(to)));
            }
            if before[to].is_some_and(|before| spawning.contains(&before)) {
                return Err(DagError::JoinAfterSpawn(name(from), name(to)));
            }
        }
        let joined: HashSet<(usize, usize)> = seen
            .iter()
            .map(|&(from, to)| (from, thread_of(to)))
            .collect();
        for (thread, spawner) in self.threads.iter().zip(spawned_by) {
            let Some(spawner) = *spawner else { continue };
            let last = *thread.instructions.last().expect("checked above");
            if !joined.contains(&(last, thread_of(spawner))) {
                return Err(DagError::NotJoined(thread.name.clone(), name(last)));
            }
        }
        Ok(())
    }

    /// The instructions thread by thread, so that a continue edge leads to the next number.
    fn laid_out(&self, spawned_by: &[Option<usize>]) -> Dag {
        let order: Vec<usize> = self
            .threads
            .iter()
            .flat_map(|thread| thread.instructions.iter().copied())
            .collect();
        let place: HashMap<usize, usize> = order
            .iter()
            .enumerate()
            .map(|(at, &old)| (old, at))
            .collect();
        let mut threads = Vec::with_capacity(self.threads.len());
        let mut first = 0;
        for (thread, spawner) in self.threads.iter().zip(spawned_by) {
            threads.push(ThreadSpan {
                first: first as u32,
                end: (first + thread.instructions.len()) as u32,
                parent: spawner.map(|at| self.instructions[at].thread as u32),
                frame: thread.frame,
            });
            first += thread.instructions.len();
        }
        let spawns = self
            .spawns
            .iter()
            .map(|(from, child)| (place[&from.0], child.0));
        let joins = self
            .joins
            .iter()
            .map(|(from, to)| (place[&from.0], place[&to.0]));
        Dag::new(
            threads,
            order
                .iter()
                .map(|&at| self.instructions[at].name.clone())
                .collect(),
            self.threads
                .iter()
                .map(|thread| thread.name.clone())
                .collect(),
            spawns.collect(),
            joins.collect(),
        )
    }
}

fn unique<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<(), DagError> {
    let mut seen = HashSet::new();
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => Err(DagError::SameName(name.to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root `a b c d` and a child `x y` spawned by `a`; what `change` does to it.
    fn refused(change: impl FnOnce(&mut DagBuilder, [Instruction; 6], [Thread; 2])) -> String {
        let mut dag = DagBuilder::new();
        let threads = [dag.thread("root", 1), dag.thread("child", 1)];
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| dag.instruction(threads[0], name));
        let [x, y] = ["x", "y"].map(|name| dag.instruction(threads[1], name));
        change(&mut dag, [a, b, c, d, x, y], threads);
        dag.build().unwrap_err().to_string()
    }

    #[test]
    fn what_breaks_the_model_is_named() {
        let sound = |dag: &mut DagBuilder, [a, _, _, d, _, y]: [Instruction; 6], child| {
            dag.spawn(a, child);
            dag.join(y, d);
        };
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.join(at[4], at[1]);
            }),
            "the join edge from x enters b, right after a spawn: put an instruction in between"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                let third = dag.thread("third", 1);
                let z = dag.instruction(third, "z");
                dag.join(z, at[3]);
                dag.spawn(at[0], third);
            }),
            "instruction a spawns two threads: an instruction may spawn one"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.spawn(at[1], child);
            }),
            "thread child is spawned twice, by a and by b: remove one of the edges"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.join(at[1], at[4]);
                dag.join(at[4], at[3]);
                dag.join(at[5], at[2]);
                // b → x → y → c is fine; c → x closes the circle.
                dag.join(at[2], at[4]);
            }),
            "instructions wait for one another: c → x → y → c"
        );
        assert_eq!(
            refused(|dag, [a, ..], [_, child]| dag.spawn(a, child)),
            "instruction y, the last of thread child, has no join edge to the parent: \
             a parent lives until its children have died"
        );
        assert_eq!(
            refused(|_, _, _| {}),
            "thread child is never spawned, and there is a root already: add a spawn edge to it"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.join(at[0], at[3]);
            }),
            "the join edge from a to d stays inside a thread: its order is given already"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.join(at[5], at[3]);
            }),
            "the join edge from y to d is there twice"
        );
        assert_eq!(
            refused(|dag, at, [root, child]| {
                sound(dag, at, child);
                dag.spawn(at[4], root);
            }),
            "every thread is spawned: leave one as the root"
        );
        assert_eq!(
            refused(|dag, at, [_, child]| {
                sound(dag, at, child);
                dag.instruction(child, "a");
            }),
            "two of them are called a: rename one"
        );
        assert_eq!(
            refused(|dag, _, _| {
                dag.thread("empty", 1);
            }),
            "thread empty has no instruction: give it at least one"
        );
        assert_eq!(
            DagBuilder::new().build().unwrap_err().to_string(),
            "there is no thread: give at least the root"
        );
    }
}
