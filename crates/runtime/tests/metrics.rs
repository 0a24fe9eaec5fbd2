//! The counters add up.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Flag, finishes, on_pools, pool, wait_until};
use filch::{IdlePolicy, Pool, PoolBuilder, WorkerMetrics, current_worker, join};

/// The numbers once they do not change any more. On a busy machine they may stand still for longer
/// than this looks at them, while a thread waits for a processor.
fn at_rest(pool: &Pool) -> WorkerMetrics {
    wait_until(|| {
        let before = pool.metrics();
        std::thread::sleep(Duration::from_millis(5));
        before == pool.metrics()
    });
    pool.metrics().total()
}

/// Waits until each worker has fallen asleep once. One that has not started counts as busy: it may
/// take what is sent to others, and is not woken. On a busy machine a pool looks at rest before.
fn all_have_parked(pool: &Pool) {
    wait_until(|| pool.metrics().workers.iter().all(|worker| worker.parks > 0));
}

fn full_tree(depth: u32) {
    if depth > 0 {
        join(|| full_tree(depth - 1), || full_tree(depth - 1));
    }
}

#[test]
fn a_new_pool_has_done_nothing() {
    on_pools(|pool| {
        let total = at_rest(pool);
        assert_eq!(
            (total.forks, total.steals, total.jobs_run, total.queue_depth),
            (0, 0, 0, 0)
        );
        assert_eq!(
            (total.job_steals, total.jobs_moved, total.wake_ups),
            (0, 0, 0)
        );
        assert_eq!(pool.metrics().workers.len(), pool.threads());
    });
}

#[test]
fn forks_are_the_joins_and_the_spawns_of_scopes() {
    on_pools(|pool| {
        pool.install(|| full_tree(10));
        assert_eq!(at_rest(pool).forks, 1_023);
        pool.scope(|s| {
            for _ in 0..100 {
                s.spawn(|s| s.spawn(|_| full_tree(1)));
            }
        });
        assert_eq!(at_rest(pool).forks, 1_023 + 300);
    });
}

#[test]
fn jobs_run_are_the_jobs_and_the_installed_calls() {
    on_pools(|pool| {
        for _ in 0..10 {
            pool.install(|| full_tree(3));
            pool.spawn(|| ()).join().unwrap();
            for handle in pool.spawn_batch([|| (), || (), || ()]) {
                handle.join().unwrap();
            }
        }
        assert_eq!(at_rest(pool).jobs_run, 50);
    });
}

#[test]
fn steals_are_at_most_the_attempts_and_the_forks() {
    on_pools(|pool| {
        pool.install(|| full_tree(14));
        let total = at_rest(pool);
        assert!(total.steals <= total.steal_attempts, "{total:?}");
        assert!(total.steals <= total.forks, "{total:?}");
        assert!(total.job_steals <= total.jobs_moved, "{total:?}");
    });
}

#[test]
fn a_stolen_child_is_one_steal() {
    finishes(|| {
        let pool = pool(2);
        let stolen = Flag::default();
        pool.join(|| stolen.wait(), || stolen.raise());
        let total = at_rest(&pool);
        assert_eq!((total.forks, total.steals), (1, 1));
        let most = pool
            .metrics()
            .workers
            .iter()
            .map(|worker| worker.steals + worker.forks)
            .max();
        assert_eq!(most, Some(1), "one worker forked, and the other stole");
    });
}

#[test]
fn one_worker_steals_nothing() {
    finishes(|| {
        let pool = pool(1);
        pool.install(|| full_tree(10));
        let total = at_rest(&pool);
        assert_eq!(
            (total.steals, total.steal_attempts, total.wake_ups),
            (0, 0, 0)
        );
    });
}

#[test]
fn the_queue_depth_is_what_waits() {
    finishes(|| {
        let pool = pool(1);
        let (started, go) = (Arc::new(Flag::default()), Arc::new(Flag::default()));
        let (start, wait) = (Arc::clone(&started), Arc::clone(&go));
        drop(pool.spawn(move || {
            start.raise();
            wait.wait();
        }));
        started.wait();
        drop(pool.spawn_batch([|| (); 7]));
        assert_eq!(pool.metrics().total().queue_depth, 7);
        go.raise();
        wait_until(|| pool.metrics().total().queue_depth == 0);
    });
}

/// One worker blocks with `jobs` in its queue, and the other runs them. Returns how often that one
/// requested jobs, and how many moved.
fn requests_for(pool: &Pool, jobs: Vec<impl FnOnce() + Send + 'static>) -> (u64, u64) {
    all_have_parked(pool);
    let started = Arc::new(Flag::default());
    let go: Arc<[Flag; 2]> = Arc::default();
    // Both are blocked, so the last idle worker has the rest in its queue.
    let held: [_; 2] = std::array::from_fn(|_| {
        let (started, go) = (Arc::clone(&started), Arc::clone(&go));
        pool.spawn(move || {
            started.raise();
            std::thread::sleep(LONG);
            go[current_worker().unwrap()].wait();
        })
    });
    started.wait_for(2);
    let count = jobs.len() as u64;
    let rest = pool.spawn_batch(jobs);
    let workers = pool.metrics().workers;
    let victim = workers
        .iter()
        .position(|worker| worker.queue_depth == count);
    let victim = victim.unwrap();
    go[1 - victim].raise();
    rest.into_iter().for_each(|handle| handle.join().unwrap());
    let total = pool.metrics().total();
    go[victim].raise();
    held.into_iter().for_each(|handle| handle.join().unwrap());
    (total.job_steals, total.jobs_moved)
}

/// A job that takes longer than a request reaches.
const LONG: Duration = Duration::from_millis(1);

fn two_that_park() -> PoolBuilder {
    Pool::builder().threads(2).idle(IdlePolicy::Park)
}

/// A worker with one job in service and seven in its queue gives away half of its load, and then
/// half of the rest.
#[test]
fn jobs_moved_are_what_the_steal_function_says() {
    finishes(|| {
        let pool = two_that_park().steal("half".parse().unwrap());
        let requests = requests_for(&pool.build().unwrap(), vec![|| (); 7]);
        assert_eq!(requests, (3, 4 + 2 + 1));
    });
}

/// By default a worker takes no more long jobs than one, so that they begin in the order in which
/// they came.
#[test]
fn long_jobs_move_one_by_one() {
    finishes(|| {
        let (begin, begun) = std::sync::mpsc::channel();
        let job = |number: usize| {
            let begin = begin.clone();
            move || {
                begin.send(number).unwrap();
                std::thread::sleep(LONG);
            }
        };
        let pool = two_that_park().build().unwrap();
        assert_eq!(requests_for(&pool, (0..7).map(job).collect()), (7, 7));
        let order: Vec<_> = begun.try_iter().collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
    });
}

#[test]
fn idle_workers_park_and_spinning_ones_do_not() {
    finishes(|| {
        let parking = Pool::builder()
            .threads(3)
            .idle(IdlePolicy::Park)
            .build()
            .unwrap();
        all_have_parked(&parking);
        let spinning = Pool::builder()
            .threads(1)
            .idle(IdlePolicy::Spin)
            .build()
            .unwrap();
        spinning.install(|| full_tree(3));
        assert_eq!(spinning.metrics().total().parks, 0);
    });
}

/// Both closures have to run at the same time, so one worker has to wake the other.
#[test]
fn a_fork_that_wakes_a_sleeper_is_a_wake_up() {
    finishes(|| {
        let pool = Pool::builder()
            .threads(2)
            .idle(IdlePolicy::Park)
            .build()
            .unwrap();
        all_have_parked(&pool);
        let before = pool.metrics().total();
        let stolen = Flag::default();
        pool.join(|| stolen.wait(), || stolen.raise());
        assert!(pool.metrics().total().wake_ups > before.wake_ups);
        // The worker that was woken parks again.
        wait_until(|| pool.metrics().total().parks > before.parks);
    });
}

#[test]
fn time_spent_searching_is_counted_and_time_asleep_is_not() {
    finishes(|| {
        let pool = Pool::builder().threads(2).build().unwrap();
        pool.install(|| full_tree(5));
        std::thread::sleep(Duration::from_millis(300));
        // The search before this had ended when the work began.
        pool.install(|| full_tree(5));
        let searching = at_rest(&pool).searching;
        assert!(
            searching > Duration::ZERO && searching < Duration::from_millis(200),
            "{searching:?}"
        );
    });
}
