//! More than one pool.

use super::*;

#[test]
fn pools_that_call_each_other() {
    check(|| {
        let (a, b) = (builder(1).build().unwrap(), builder(1).build().unwrap());
        thread::scope(|threads| {
            threads.spawn(|| assert_eq!(a.install(|| b.install(|| a.install(|| 1))), 1));
            threads.spawn(|| assert_eq!(b.install(|| a.install(|| b.install(|| 2))), 2));
        });
    });
}

/// A worker that waits for another pool runs a call, which forks and waits itself, while further
/// calls arrive.
#[test]
fn calls_that_wait() {
    check(|| {
        let (a, b) = (builder(3).build().unwrap(), builder(2).build().unwrap());
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| assert_eq!(a.install(|| b.install(|| a.install(|| fib(3)))), 2));
            }
        });
    });
}

/// A pool ends as soon as its last call has returned from the other pool.
#[test]
fn drop_after_a_call() {
    check(|| {
        let b = builder(1).build().unwrap();
        assert_eq!(builder(1).build().unwrap().install(|| b.install(|| 3)), 3);
    });
}

/// A job waits for one that it has spawned on another pool, which calls back.
#[test]
fn job_that_waits_for_a_job_of_another_pool() {
    check(|| {
        let a = Arc::new(builder(1).name(|_| "a".into()).build().unwrap());
        let b = Arc::new(builder(1).name(|_| "b".into()).build().unwrap());
        let (back, there) = (Arc::clone(&a), Arc::clone(&b));
        let name = || thread::current().name().map(str::to_owned);
        let names = a.install(move || {
            there
                .spawn(move || (name(), back.install(name)))
                .join()
                .unwrap()
        });
        assert_eq!(names, (Some("b".into()), Some("a".into())));
    });
}

/// The last owner of a pool is one of its jobs.
#[test]
fn job_that_owns_its_pool() {
    check(|| {
        let pool = Arc::new(builder(2).build().unwrap());
        let own = Arc::clone(&pool);
        let released = Gate::new();
        let (wait, ended) = (Arc::clone(&released), Gate::new());
        let end = Arc::clone(&ended);
        drop(pool.spawn(move || {
            wait.pass();
            drop(own);
            end.open();
        }));
        drop(pool);
        released.open();
        ended.pass();
    });
}

fn without_spares(workers: usize) -> Arc<Pool> {
    Arc::new(builder(workers).spare_threads(0).build().unwrap())
}

/// Within a call, the only worker of a pool waits for a job that calls that pool.
#[test]
fn job_that_calls_the_worker_that_waits_for_it() {
    check(|| {
        let (first, second) = (without_spares(2), without_spares(1));
        let there = Arc::clone(&second);
        let result = first.install(|| {
            let job = filch::spawn(move || there.install(|| 1));
            second.install(move || job.join().unwrap())
        });
        assert_eq!(result, 1);
    });
}

/// The job that the call waits for waits for another, which calls.
#[test]
fn job_that_waits_for_a_job_that_calls() {
    check(|| {
        let (first, second) = (without_spares(3), without_spares(1));
        let there = Arc::clone(&second);
        let result = first.install(|| {
            let inner = filch::spawn(move || there.install(|| 1));
            let outer = filch::spawn(move || inner.join().unwrap());
            second.install(move || outer.join().unwrap())
        });
        assert_eq!(result, 1);
    });
}

/// A pool is dropped by the only worker of another, which one of its jobs calls.
#[test]
fn drop_by_a_worker_that_is_called() {
    check(|| {
        let first = without_spares(1);
        let back = Arc::clone(&first);
        first.install(|| {
            let second = builder(1).build().unwrap();
            drop(second.spawn(move || back.install(|| ())));
            drop(second);
        });
    });
}
