//! A computation with every instruction written down.

/// A computation whose instructions are all known, checked by
/// [`DagBuilder`](super::DagBuilder).
///
/// Threads and instructions are numbered from 0 in the order in which they were given, instructions
/// thread by thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dag {
    threads: Vec<ThreadSpan>,
    thread_of: Vec<u32>,
    spawns: Vec<Option<u32>>,
    /// Where in `join_targets` the join edges out of each instruction begin.
    joins_at: Vec<u32>,
    join_targets: Vec<usize>,
    joins_into: Vec<u32>,
    instruction_names: Vec<String>,
    thread_names: Vec<String>,
}

/// One thread: its instructions `first..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadSpan {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) parent: Option<u32>,
    pub(super) frame: u64,
}

impl Dag {
    pub(super) fn new(
        threads: Vec<ThreadSpan>,
        instruction_names: Vec<String>,
        thread_names: Vec<String>,
        spawns: Vec<(usize, usize)>,
        mut joins: Vec<(usize, usize)>,
    ) -> Self {
        let count = instruction_names.len();
        let mut thread_of = vec![0; count];
        for (thread, span) in threads.iter().enumerate() {
            thread_of[span.first as usize..span.end as usize].fill(thread as u32);
        }
        let mut spawned = vec![None; count];
        for (from, child) in spawns {
            spawned[from] = Some(child as u32);
        }
        joins.sort_unstable();
        let mut joins_at = vec![0; count + 1];
        let mut joins_into = vec![0; count];
        for &(from, to) in &joins {
            joins_at[from + 1] += 1;
            joins_into[to] += 1;
        }
        for at in 0..count {
            joins_at[at + 1] += joins_at[at];
        }
        Self {
            threads,
            thread_of,
            spawns: spawned,
            joins_at,
            join_targets: joins.into_iter().map(|(_, to)| to).collect(),
            joins_into,
            instruction_names,
            thread_names,
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// How many instructions there are.
    pub fn work(&self) -> u64 {
        self.instruction_names.len() as u64
    }

    /// All instructions.
    pub fn instructions(&self) -> std::ops::Range<usize> {
        0..self.instruction_names.len()
    }

    /// The instructions of a thread, in their order.
    pub fn instructions_of(&self, thread: usize) -> std::ops::Range<usize> {
        let span = &self.threads[thread];
        span.first as usize..span.end as usize
    }

    /// The thread without a parent.
    pub fn root_thread(&self) -> usize {
        let root = self
            .threads
            .iter()
            .position(|thread| thread.parent.is_none());
        root.expect("checked when it was built")
    }

    /// The thread that an instruction belongs to.
    pub fn thread_of(&self, instruction: usize) -> usize {
        self.thread_of[instruction] as usize
    }

    /// The parent of a thread, unless it is the root.
    pub fn parent(&self, thread: usize) -> Option<usize> {
        self.threads[thread].parent.map(|parent| parent as usize)
    }

    /// The size of a thread's frame.
    pub fn frame_of(&self, thread: usize) -> u64 {
        self.threads[thread].frame
    }

    /// The thread that an instruction spawns, if it does.
    pub fn spawned_by(&self, instruction: usize) -> Option<usize> {
        self.spawns[instruction].map(|child| child as usize)
    }

    /// Where the join edges out of an instruction lead.
    pub fn joins_from(&self, instruction: usize) -> &[usize] {
        let (from, to) = (self.joins_at[instruction], self.joins_at[instruction + 1]);
        &self.join_targets[from as usize..to as usize]
    }

    /// How many join edges enter an instruction.
    pub fn joins_into(&self, instruction: usize) -> u32 {
        self.joins_into[instruction]
    }

    /// The name of an instruction.
    pub fn name_of(&self, instruction: usize) -> &str {
        &self.instruction_names[instruction]
    }

    /// The name of a thread.
    pub fn thread_name_of(&self, thread: usize) -> &str {
        &self.thread_names[thread]
    }

    /// Where all edges out of an instruction lead: continue, spawn, join.
    pub fn successors(&self, instruction: usize) -> impl Iterator<Item = usize> {
        let thread = &self.threads[self.thread_of(instruction)];
        let next = (instruction + 1 < thread.end as usize).then_some(instruction + 1);
        let child =
            self.spawns[instruction].map(|child| self.threads[child as usize].first as usize);
        next.into_iter()
            .chain(child)
            .chain(self.joins_from(instruction).iter().copied())
    }

    /// The instructions in an order that follows all edges.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let (order, _) = self.sorted();
        order
    }

    /// Instructions that wait for one another, told in order, if there are any.
    pub(super) fn cycle(&self) -> Option<Vec<usize>> {
        let (order, waiting) = self.sorted();
        if order.len() == waiting.len() {
            return None;
        }
        // What is left waits for something else that is left, so walking back never ends.
        let mut before = vec![None; waiting.len()];
        for at in self.instructions().filter(|&at| waiting[at] > 0) {
            for next in self.successors(at).filter(|&next| waiting[next] > 0) {
                before[next] = Some(at);
            }
        }
        let back = |at: usize| before[at].expect("it waits for something that is left");
        let mut at = waiting
            .iter()
            .position(|&waits| waits > 0)
            .expect("something is left");
        for _ in 0..waiting.len() {
            at = back(at);
        }
        let mut cycle = vec![at];
        let mut other = back(at);
        while other != at {
            cycle.push(other);
            other = back(other);
        }
        cycle.reverse();
        let least = cycle
            .iter()
            .enumerate()
            .min_by_key(|(_, at)| **at)
            .map_or(0, |(i, _)| i);
        cycle.rotate_left(least);
        Some(cycle)
    }

    /// As many instructions in order as can be put in order, and for how many others each one then
    /// still waits.
    fn sorted(&self) -> (Vec<usize>, Vec<u32>) {
        let mut waiting = vec![0u32; self.instruction_names.len()];
        for at in self.instructions() {
            for next in self.successors(at) {
                waiting[next] += 1;
            }
        }
        let mut order: Vec<usize> = self.instructions().filter(|&at| waiting[at] == 0).collect();
        let mut done = 0;
        while done < order.len() {
            for next in self.successors(order[done]) {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    order.push(next);
                }
            }
            done += 1;
        }
        (order, waiting)
    }
}
