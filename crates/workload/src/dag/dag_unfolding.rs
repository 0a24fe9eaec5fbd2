//! A written-down computation under way.

use super::explicit::Dag;
use super::unfold::{Executed, ThreadId, Unfold};

/// The execution of a [`Dag`]: how far each thread has come, and what each instruction waits for.
#[derive(Clone, Debug)]
pub struct DagUnfolding<'a> {
    dag: &'a Dag,
    next: Vec<usize>,
    /// Join edges into an instruction that are not resolved.
    unresolved: Vec<u32>,
    stalled: Vec<bool>,
    living_children: Vec<u32>,
    /// What the instruction executed last has join edges to.
    joined: Vec<ThreadId>,
}

impl<'a> DagUnfolding<'a> {
    /// `dag` before its first instruction.
    pub fn new(dag: &'a Dag) -> Self {
        let next: Vec<usize> = (0..dag.threads())
            .map(|thread| dag.instructions_of(thread).start)
            .collect();
        let unresolved: Vec<u32> = dag.instructions().map(|at| dag.joins_into(at)).collect();
        Self {
            stalled: next.iter().map(|&first| unresolved[first] > 0).collect(),
            living_children: vec![0; next.len()],
            joined: Vec::new(),
            dag,
            next,
            unresolved,
        }
    }
}

impl Unfold for DagUnfolding<'_> {
    fn root(&self) -> ThreadId {
        ThreadId::new(self.dag.root_thread())
    }

    fn execute(&mut self, thread: ThreadId, enabled: &mut Vec<ThreadId>) -> Executed {
        let this = thread.index();
        let at = self.next[this];
        debug_assert!(!self.stalled[this], "a stalled thread is not executed");
        self.next[this] = at + 1;
        self.joined.clear();
        for &to in self.dag.joins_from(at) {
            self.unresolved[to] -= 1;
            let waiting = self.dag.thread_of(to);
            self.joined.push(ThreadId::new(waiting));
            if self.unresolved[to] == 0 && self.stalled[waiting] && self.next[waiting] == to {
                self.stalled[waiting] = false;
                // A thread that is not spawned yet is not made ready by a join edge.
                let first = self.dag.instructions_of(waiting).start;
                if to != first || self.is_spawned(waiting) {
                    enabled.push(ThreadId::new(waiting));
                }
            }
        }
        if at + 1 == self.dag.instructions_of(this).end {
            let parent = self.dag.parent(this);
            if let Some(parent) = parent {
                self.living_children[parent] -= 1;
                let expected = self.joined.iter().position(|other| other.index() == parent);
                self.joined
                    .swap_remove(expected.expect("checked when it was built"));
            }
            return Executed::Dies(parent.map(ThreadId::new));
        }
        if let Some(child) = self.dag.spawned_by(at) {
            self.living_children[this] += 1;
            return Executed::Spawns(ThreadId::new(child));
        }
        self.stalled[this] = self.unresolved[at + 1] > 0;
        if self.stalled[this] {
            Executed::Stalls
        } else {
            Executed::Continues
        }
    }

    fn is_ready(&self, thread: ThreadId) -> bool {
        !self.stalled[thread.index()]
    }

    fn living_children(&self, thread: ThreadId) -> u32 {
        self.living_children[thread.index()]
    }

    fn is_awaited(&self, child: ThreadId) -> bool {
        let Some(parent) = self.dag.parent(child.index()) else {
            return false;
        };
        let last = self.dag.instructions_of(child.index()).end - 1;
        self.dag.joins_from(last).contains(&self.next[parent])
    }

    fn frame(&self, thread: ThreadId) -> u64 {
        self.dag.frame_of(thread.index())
    }

    fn joined(&self) -> &[ThreadId] {
        &self.joined
    }
}

impl DagUnfolding<'_> {
    fn is_spawned(&self, thread: usize) -> bool {
        let Some(parent) = self.dag.parent(thread) else {
            return true;
        };
        self.dag
            .instructions_of(parent)
            .take_while(|&at| at < self.next[parent])
            .any(|at| self.dag.spawned_by(at) == Some(thread))
    }
}
