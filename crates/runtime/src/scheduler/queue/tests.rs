//! The queue beside a plain list of jobs, in which everything is looked for from the front.

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;

use super::{Job, JobKind, Queue, Queued};
use crate::scheduler::job::Task;

/// Jobs that are told apart by their addresses, and never run.
fn job() -> (usize, Job) {
    let job = Task::new(|| ()).job();
    (job.address(), job)
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Push(JobKind),
    PushFirst,
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
        8 => kind.prop_map(Step::Push),
        1 => Just(Step::PushFirst),
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

/// The plain list.
#[derive(Default)]
struct Plain(VecDeque<(usize, JobKind)>);

impl Plain {
    fn pop(&mut self, may: impl Fn(JobKind) -> bool) -> Option<usize> {
        let index = self.0.iter().position(|(_, kind)| may(*kind))?;
        self.0.remove(index).map(|(address, _)| address)
    }

    fn count(&self, may: impl Fn(JobKind) -> bool) -> usize {
        self.0.iter().filter(|(_, kind)| may(*kind)).count()
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
        let address = |job: Option<Job>| job.map(|job| job.address());
        for step in steps {
            match step {
                Step::Push(kind) => {
                    let (address, job) = job();
                    queue.push([Queued { job, kind }]);
                    plain.0.push_back((address, kind));
                }
                Step::PushFirst => {
                    let (address, job) = job();
                    queue.push_first([job]);
                    plain.0.push_front((address, JobKind::Plain));
                }
                Step::Pop => prop_assert_eq!(address(queue.pop(|| ())), plain.pop(|_| true)),
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
                    let shared = plain.pop(|kind| !is_share(kind));
                    prop_assert_eq!(address(queue.pop_shared()), shared);
                }
                Step::Give(most) => {
                    let shared = plain.count(|kind| !is_share(kind));
                    let mut seen = None;
                    let given = queue.give(&other, |length| {
                        seen = Some(length);
                        most
                    });
                    prop_assert_eq!(seen.unwrap_or(0), shared);
                    let those: Vec<_> = (0..most)
                        .map_while(|_| plain.pop(|kind| kind == JobKind::Plain))
                        .collect();
                    prop_assert_eq!(given, those.len());
                    moved.splice(0..0, those);
                }
            }
            prop_assert_eq!(queue.len(), plain.count(|kind| !is_share(kind)));
            prop_assert_eq!(queue.has_lone_jobs(), plain.count(is_lone) > 0);
            prop_assert_eq!(queue.has_nothing(), plain.0.is_empty());
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
