//! A dag in the form in which it is replayed.

use filch_profile::{Dag, Duration, Step, TaskId};

/// A step of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Work(u64),
    Join(u32, u32),
    Scope(u32),
    Spawn(u32),
}

/// The tasks of a dag, with the smallest sub-computations as leaves.
#[derive(Clone, Debug)]
pub struct Script {
    ops: Vec<Op>,
    /// Where the steps of each task begin; the end of the last one is last.
    begins: Vec<u32>,
    sizes: Vec<Size>,
}

/// What a task takes with all that it forks, with prices for forks.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    work: u64,
    /// The longest path to the last child, and to the task's own last instruction.
    span: u64,
    path: u64,
}

impl Script {
    /// The tasks of `dag`, where each fork takes `fork`. A task whose work is less than `least`
    /// becomes a leaf of as much work, forks included.
    ///
    /// # Panics
    ///
    /// If the steps of all tasks together are 2³² or more.
    pub fn of(dag: &Dag, least: Duration, fork: Duration) -> Self {
        let fork = fork.picos();
        let mut script = Self {
            ops: Vec::new(),
            begins: vec![0],
            sizes: Vec::with_capacity(dag.len()),
        };
        for (_, task, _) in dag.iter() {
            let begin = script.ops.len();
            let mut size = Size::default();
            for &step in &task.steps {
                let op = match step {
                    Step::Work(time) => Op::Work(time.picos()),
                    Step::Join { first, second, .. } => Op::Join(first.0, second.0),
                    Step::Scope { body, .. } => Op::Scope(body.0),
                    Step::Spawn { child, .. } => Op::Spawn(child.0),
                };
                size.add(op, &script.sizes, fork);
                script.push(op, begin);
            }
            size.span = size.span.max(size.path);
            if size.work < least.picos() {
                script.ops.truncate(begin);
                script.ops.push(Op::Work(size.work));
                size.path = size.work;
                size.span = size.work;
            }
            let end = u32::try_from(script.ops.len()).expect("fewer than 2^32 steps");
            script.begins.push(end);
            script.sizes.push(size);
        }
        script
    }

    /// A step more of the task whose steps begin at `begin`. Strands in a row become one, and a
    /// closure that is a leaf and runs as the body of a scope becomes a strand.
    fn push(&mut self, op: Op, begin: usize) {
        let time = match op {
            Op::Work(time) => Some(time),
            Op::Scope(body) => self.leaf(body),
            Op::Join(..) | Op::Spawn(_) => None,
        };
        let last = self.ops[begin..].last();
        match (last, time) {
            (_, Some(0)) => {}
            (Some(&Op::Work(before)), Some(time)) => {
                self.ops.pop();
                self.ops.push(Op::Work(before + time));
            }
            (_, Some(time)) => self.ops.push(Op::Work(time)),
            (_, None) => self.ops.push(op),
        }
    }

    /// The time of a task that is a single strand.
    fn leaf(&self, task: u32) -> Option<u64> {
        match self.ops[self.begin(task) as usize..self.end(task) as usize] {
            [] => Some(0),
            [Op::Work(time)] => Some(time),
            _ => None,
        }
    }

    pub(super) fn begin(&self, task: u32) -> u32 {
        self.begins[task as usize]
    }

    pub(super) fn end(&self, task: u32) -> u32 {
        self.begins[task as usize + 1]
    }

    pub(super) fn op(&self, at: u32) -> Op {
        self.ops[at as usize]
    }

    /// T1 of a task: its work and that of all that it forks, with the price of each fork.
    pub fn work(&self, task: TaskId) -> Duration {
        Duration::from_picos(self.sizes[task.0 as usize].work)
    }

    /// Tinf of a task, with the price of each fork on the path. Leaves count with their work, so
    /// that it can be longer than the span of the dag.
    pub fn span(&self, task: TaskId) -> Duration {
        Duration::from_picos(self.sizes[task.0 as usize].span)
    }
}

impl Size {
    fn add(&mut self, op: Op, sizes: &[Self], fork: u64) {
        let of = |task: u32| sizes[task as usize];
        match op {
            Op::Work(time) => {
                self.work += time;
                self.path += time;
            }
            Op::Join(first, second) => {
                let [a, b] = [of(first), of(second)];
                self.work += fork + a.work + b.work;
                // What is forked can be taken before its worker has paid for the fork.
                let left = (fork + a.span).max(b.span);
                self.span = self.span.max(self.path + left);
                self.path += (fork + a.path).max(b.path);
            }
            Op::Scope(body) => {
                let body = of(body);
                self.work += body.work;
                self.path += body.span;
            }
            Op::Spawn(child) => {
                let child = of(child);
                self.work += fork + child.work;
                self.span = self.span.max(self.path + child.span);
                self.path += fork;
            }
        }
    }
}
