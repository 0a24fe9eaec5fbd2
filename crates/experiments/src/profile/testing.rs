//! Small random dags, and their measures by writing the whole tree out.

use filch_profile::{Dag, Duration, SiteId, Step, Task, TaskId};
use filch_random::{Purpose, Seed};
use rand::RngExt;

/// A dag of seven tasks over four sites, and its root.
pub(super) fn random_dag(seed: u64) -> (Dag, TaskId) {
    let mut rng = Seed::new(seed).stream(Purpose::named("dags"), 0, 0);
    let mut dag = Dag::default();
    let leaf = |time| Task::new(vec![Step::Work(Duration::from_picos(time))]);
    let mut root = dag.add(leaf(rng.random_range(0..20)));
    for number in 1..7u32 {
        let mut any = |most: u32| rng.random_range(0..most);
        let steps = (0..1 + any(4)).map(|_| {
            let site = SiteId(any(4));
            let kind = any(6);
            // Most refer to the newest task, so that there is depth.
            let mut task = || TaskId(number - 1 - any(number).min(any(number)));
            match kind {
                0 | 1 => Step::Work(Duration::from_picos(any(20).into())),
                2 | 3 => Step::Join {
                    site,
                    first: task(),
                    second: task(),
                },
                4 => Step::Scope { site, body: task() },
                _ => Step::Spawn {
                    site,
                    child: task(),
                },
            }
        });
        let task = Task::new(steps.collect());
        root = dag.add(task);
    }
    (dag, root)
}

/// The longest paths through a tree, with the time of each site on them.
#[derive(Clone, Copy, Default)]
pub(super) struct Unrolled {
    pub(super) work: Duration,
    pub(super) span: Duration,
    pub(super) path: Duration,
    /// The time of each site on the span; the caller is site 4.
    pub(super) on_path: [u64; 5],
    on_own_path: [u64; 5],
}

/// Walks the tree under `root` strand by strand.
pub(super) fn unrolled(dag: &Dag, root: TaskId, burden: Duration) -> Unrolled {
    walk(dag, root, 4, burden)
}

fn walk(dag: &Dag, task: TaskId, site: usize, burden: Duration) -> Unrolled {
    let mut now = Unrolled::default();
    let mut last: Option<(Duration, [u64; 5])> = None;
    let mut leave = |time: Duration, on_path: [u64; 5]| {
        if last.is_none_or(|(latest, _)| time > latest) {
            last = Some((time, on_path));
        }
    };
    for step in &dag[task].steps {
        match *step {
            Step::Work(time) => {
                now.work += time;
                now.path += time;
                now.on_own_path[site] += time.picos();
            }
            Step::Join {
                site,
                first,
                second,
            } => {
                let [a, b] = [first, second].map(|of| walk(dag, of, site.0 as usize, burden));
                now.work += a.work + b.work;
                now.path += burden;
                let left = if b.span > a.span { b } else { a };
                leave(now.path + left.span, sum(now.on_own_path, left.on_path));
                let longer = if b.path > a.path { b } else { a };
                now.path += longer.path;
                now.on_own_path = sum(now.on_own_path, longer.on_own_path);
            }
            Step::Scope { site, body } => {
                let body = walk(dag, body, site.0 as usize, burden);
                now.work += body.work;
                now.path += body.span;
                now.on_own_path = sum(now.on_own_path, body.on_path);
            }
            Step::Spawn { site, child } => {
                let child = walk(dag, child, site.0 as usize, burden);
                now.work += child.work;
                now.path += burden;
                leave(now.path + child.span, sum(now.on_own_path, child.on_path));
            }
        }
    }
    (now.span, now.on_path) = match last {
        Some((time, on_path)) if time > now.path => (time, on_path),
        _ => (now.path, now.on_own_path),
    };
    now
}

fn sum(one: [u64; 5], other: [u64; 5]) -> [u64; 5] {
    core::array::from_fn(|site| one[site] + other[site])
}
