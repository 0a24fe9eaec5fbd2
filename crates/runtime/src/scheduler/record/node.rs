//! Tasks that end before their children do: those that spawn into a scope.
//!
//! What such a task measures is known only when the last child has ended, which may be on another
//! thread. Until then the task is a *node*. A child that ends fills its slot in the node; the one
//! that fills the last, once the task itself has ended, adds the task to the tables and fills the
//! slot of the task in turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::class::{ClassKey, Sums};
use super::clock::Ticks;
use super::table::Table;
use super::task::{Step, Summary, TaskRef};

#[derive(Debug, Default)]
pub(super) struct Node {
    state: Mutex<NodeState>,
}

#[derive(Debug, Default)]
struct NodeState {
    /// Slots that are not filled.
    missing: usize,
    /// What filled the others: the step, which child of it, and the task.
    filled: Vec<(usize, bool, TaskRef)>,
    /// What these measured. The span is that from the beginning of the task.
    children: Sums,
    steals: u64,
    /// The task itself, once it has ended.
    ended: Option<Ended>,
    /// Where the task belongs, once that is known.
    slot: Option<Slot>,
    /// Once everything is known, if `slot` was not.
    outcome: Option<Summary>,
}

/// A task that has ended, without the children that have not.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) steps: Vec<Step>,
    pub(super) shape: u64,
    pub(super) sums: Sums,
    pub(super) steals: u64,
}

/// The place of a child in a node.
#[derive(Debug)]
pub(crate) struct Slot {
    node: Arc<Node>,
    step: usize,
    is_second: bool,
    /// The path of the task to where the child begins.
    offset: Ticks,
}

impl Slot {
    /// The place of a child of that step of a task. It is filled once.
    pub(super) fn new(node: &Arc<Node>, step: usize, is_second: bool, offset: Ticks) -> Self {
        node.lock().missing += 1;
        Self {
            node: Arc::clone(node),
            step,
            is_second,
            offset,
        }
    }

    /// What is in the slot is known. It may be the last thing that its node, and those further out,
    /// were waiting for.
    pub(super) fn fill(self, summary: Summary, table: &mut Table, digits: u32) {
        let mut next = Some((self, summary));
        while let Some((slot, summary)) = next.take() {
            let summary = match summary.node.clone() {
                // It is filled later, by the last of its children.
                Some(node) => match node.belongs_to(slot) {
                    Some((slot, summary)) => {
                        next = Some((slot, summary));
                        continue;
                    }
                    None => return,
                },
                None => Summary {
                    task: table.publish(summary.task),
                    ..summary
                },
            };
            next = slot.put(&summary, table, digits);
        }
    }

    /// The slot of the node and what belongs there, if this was the last that was missing.
    fn put(self, summary: &Summary, table: &mut Table, digits: u32) -> Option<(Self, Summary)> {
        let mut state = self.node.lock();
        state.missing -= 1;
        state.filled.push((self.step, self.is_second, summary.task));
        let children = &mut state.children;
        children.work += summary.sums.work;
        children.forks += summary.sums.forks;
        children.span = children.span.max(self.offset + summary.sums.span);
        state.steals += summary.steals;
        let whole = state.conclude(table, digits)?;
        match state.slot.take() {
            Some(slot) => {
                drop(state);
                let task = table.publish(whole.task);
                Some((slot, Summary { task, ..whole }))
            }
            None => {
                let task = table.publish(whole.task);
                state.outcome = Some(Summary { task, ..whole });
                None
            }
        }
    }
}

impl Node {
    fn lock(&self) -> MutexGuard<'_, NodeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task has ended. Whole, if its children have too.
    pub(super) fn end(self: &Arc<Self>, ended: Ended, table: &mut Table, digits: u32) -> Summary {
        let mut state = self.lock();
        let (sums, steals) = (ended.sums, ended.steals);
        state.ended = Some(ended);
        state.conclude(table, digits).unwrap_or_else(|| Summary {
            task: TaskRef::UNKNOWN,
            sums,
            steals,
            node: Some(Arc::clone(self)),
        })
    }

    /// Says where the task belongs. If all is known of it already, returns both.
    fn belongs_to(&self, slot: Slot) -> Option<(Slot, Summary)> {
        let mut state = self.lock();
        match state.outcome.take() {
            Some(outcome) => Some((slot, outcome)),
            None => {
                state.slot = Some(slot);
                None
            }
        }
    }

    /// What is known of the task, if all is.
    pub(super) fn outcome(&self) -> Option<Summary> {
        self.lock().outcome.take()
    }
}

impl NodeState {
    fn conclude(&mut self, table: &mut Table, digits: u32) -> Option<Summary> {
        if self.missing > 0 {
            return None;
        }
        let mut ended = self.ended.take()?;
        for (step, is_second, task) in core::mem::take(&mut self.filled) {
            if let Some(child) = ended
                .steps
                .get_mut(step)
                .and_then(|step| step.child_mut(is_second))
            {
                *child = task;
            }
        }
        let mut sums = ended.sums;
        sums.work += self.children.work;
        sums.forks += self.children.forks;
        sums.span = sums.span.max(self.children.span);
        let key = ClassKey::new(ended.shape, &sums, digits);
        Some(Summary {
            task: table.intern(key, &ended.steps, &sums),
            sums,
            steals: ended.steals + self.steals,
            node: None,
        })
    }
}
