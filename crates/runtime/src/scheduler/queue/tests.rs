//! The queue beside a plain list of jobs, in which everything is looked for from the front.

use core::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;

use super::{Job, JobKind, Queue, Queued};
use crate::scheduler::call::Call;
use crate::scheduler::job::Task;
use crate::scheduler::needs::{Activity, TaskId};
use crate::sync::Arc;

/// Jobs that are told apart by their addresses, and never run.
fn job() -> (usize, Job) {
    let job = Task::new(|| ()).job();
    (job.address(), job)
}

fn call() -> Arc<Call> {
    let (call, task, pool) = (None, TaskId::NONE, None);
    Call::new(Activity { call, task, pool })
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Whether the job belongs to a call.
    Push(JobKind, bool),
    PushSpawned,
    PopNewest,
    PopOldest,
    Pop,
    PopShare,
    PopCall,
    PopChild(usize),
    PopLone,
    PopShared,
    Give(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![
        Just(JobKind::Plain),
        Just(JobKind::Call),
        (1..4_usize).prop_map(JobKind::Scope),
        Just(JobKind::Broadcast),
    ];
    let step = prop_oneof![
        8 => (kind, any::<bool>()).prop_map(|(kind, within)| Step::Push(kind, within)),
        2 => Just(Step::PushSpawned),
        1 => Just(Step::PopNewest),
        1 => Just(Step::PopOldest),
        2 => Just(Step::Pop),
        1 => Just(Step::PopShare),
        1 => Just(Step::PopCall),
        1 => (1..4_usize).prop_map(Step::PopChild),
        1 => Just(Step::PopLone),
        1 => Just(Step::PopShared),
        1 => (0..10_usize).prop_map(Step::Give),
    ];
    prop::collection::vec(step, 0..200)
}

/// The plain lists.
#[derive(Default)]
struct Plain {
    spawned: Vec<usize>,
    arrived: VecDeque<(usize, JobKind)>,
}

impl Plain {
    fn oldest_spawned(&mut self) -> Option<usize> {
        (!self.spawned.is_empty()).then(|| self.spawned.remove(0))
    }

    fn pop(&mut self, may: impl Fn(JobKind) -> bool) -> Option<usize> {
        let index = self.arrived.iter().position(|(_, kind)| may(*kind))?;
        self.arrived.remove(index).map(|(address, _)| address)
    }

    fn count(&self, may: impl Fn(JobKind) -> bool) -> usize {
        self.arrived.iter().filter(|(_, kind)| may(*kind)).count()
    }
}

fn is_lone(kind: JobKind) -> bool {
    matches!(kind, JobKind::Call | JobKind::Scope(_))
}

fn is_share(kind: JobKind) -> bool {
    kind == JobKind::Broadcast
}

proptest! {
    #[test]
    fn as_a_plain_list(steps in steps()) {
        let (queue, other, mut plain) = (Queue::new(), Queue::new(), Plain::default());
        let mut moved = Vec::new();
        let calls = RefCell::new(BTreeSet::new());
        let address = |job: Option<Job>| job.map(|job| {
            assert_eq!(job.call.is_some(), calls.borrow().contains(&job.address()));
            job.address()
        });
        for step in steps {
            match step {
                Step::Push(kind, within) => {
                    let (address, job) = job();
                    if within {
                        calls.borrow_mut().insert(address);
                    }
                    let job = job.within(within.then(call));
                    queue.push([Queued { job, kind }]);
                    plain.arrived.push_back((address, kind));
                }
                Step::PushSpawned => {
                    let (address, job) = job();
                    queue.push_spawned(job);
                    plain.spawned.push(address);
                }
                Step::PopNewest => {
                    prop_assert_eq!(address(queue.pop_newest_spawned()), plain.spawned.pop());
                }
                Step::PopOldest => {
                    prop_assert_eq!(address(queue.pop_oldest_spawned()), plain.oldest_spawned());
                }
                Step::Pop => {
                    let first = plain.spawned.pop().or_else(|| plain.pop(|_| true));
                    prop_assert_eq!(address(queue.pop(|| ())), first);
                }
                Step::PopShare => {
                    prop_assert_eq!(address(queue.pop_share(|_| true)), plain.pop(is_share));
                }
                Step::PopCall => {
                    let call = plain.pop(|kind| kind == JobKind::Call);
                    prop_assert_eq!(queue.has_call(|_| true), call.is_some());
                    prop_assert_eq!(address(queue.pop_call(|_| true)), call);
                }
                Step::PopChild(scope) => {
                    let child = plain.pop(|kind| kind == JobKind::Scope(scope));
                    prop_assert_eq!(queue.has_child(scope), child.is_some());
                    prop_assert_eq!(address(queue.pop_child(scope)), child);
                }
                Step::PopLone => prop_assert_eq!(address(queue.pop_lone()), plain.pop(is_lone)),
                Step::PopShared => {
                    let arrived = |plain: &mut Plain| plain.pop(|kind| !is_share(kind));
                    let shared = plain.oldest_spawned().or_else(|| arrived(&mut plain));
                    prop_assert_eq!(address(queue.pop_shared()), shared);
                }
                Step::Give(most) => {
                    let shared = plain.spawned.len() + plain.count(|kind| !is_share(kind));
                    let mut seen = None;
                    let given = queue.give(&other, |length| {
                        seen = Some(length);
                        most
                    });
                    prop_assert_eq!(seen.unwrap_or(0), shared);
                    let those: Vec<_> = (0..most)
                        .map_while(|_| {
                            let arrived = |plain: &mut Plain| plain.pop(|kind| kind == JobKind::Plain);
                            plain.oldest_spawned().or_else(|| arrived(&mut plain))
                        })
                        .collect();
                    prop_assert_eq!(given, those.len());
                    moved.splice(0..0, those);
                }
            }
            let shared = plain.spawned.len() + plain.count(|kind| !is_share(kind));
            prop_assert_eq!(queue.len(), shared);
            prop_assert_eq!(queue.has_lone_jobs(), plain.count(is_lone) > 0);
            prop_assert_eq!(queue.has_nothing(), shared + plain.count(is_share) == 0);
            prop_assert_eq!(queue.has_share(|_| true), plain.count(is_share) > 0);
        }
        let there: Vec<_> = core::iter::from_fn(|| address(other.pop(|| ()))).collect();
        prop_assert_eq!(there, moved);
    }
}

/// A queue that once held many jobs needs no more memory than one that did not, but for a part that
/// is kept.
#[test]
fn the_room_for_many_jobs_is_given_back() {
    let queue = Queue::new();
    let kinds = [
        JobKind::Plain,
        JobKind::Call,
        JobKind::Scope(8),
        JobKind::Broadcast,
    ];
    let mut addresses = BTreeSet::new();
    for kind in kinds {
        let jobs = (0..50_000).map(|_| {
            let (address, job) = job();
            addresses.insert(address);
            Queued { job, kind }
        });
        queue.push(jobs);
    }
    assert_eq!(addresses.len(), 200_000);
    while let Some(job) = queue.pop(|| ()) {
        assert!(addresses.remove(&job.address()));
    }
    assert!(addresses.is_empty());
    let room = crate::sync::lock(&queue.jobs).room();
    assert!(room <= 16 * 1024, "{room} places are kept");
}
