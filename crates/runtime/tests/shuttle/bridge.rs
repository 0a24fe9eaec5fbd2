//! Jobs that are awaited, dropped and admitted, under every order of their steps.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::task::Wake;

use filch::{Class, Refused};

use super::*;

/// Wakes a thread of the model that waits in [`block_on`].
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Wake for Bell {
    fn wake(self: std::sync::Arc<Self>) {
        *self.rung.lock().unwrap() = true;
        self.ringing.notify_one();
    }
}

/// Polls when it is woken and only then: a wake-up that is lost blocks it for ever.
fn block_on<F: Future>(future: F) -> F::Output {
    let bell = std::sync::Arc::new(Bell::default());
    let waker = Waker::from(std::sync::Arc::clone(&bell));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let mut rung = bell.rung.lock().unwrap();
        while !core::mem::take(&mut *rung) {
            rung = bell.ringing.wait(rung).unwrap();
        }
    }
}

#[test]
fn an_awaited_job() {
    check_both(1, |pool| {
        assert_eq!(block_on(pool.run(|| 1)), 1);
        assert_eq!(block_on(pool.spawn(|| 2)).unwrap(), 2);
    });
}

/// Polled with one waker and then with another, which is the one to be woken.
#[test]
fn a_job_that_changes_its_task() {
    check(|| {
        let pool = builder(1).build().unwrap();
        let mut job = Box::pin(pool.run(|| 1));
        let first = Waker::from(std::sync::Arc::new(Bell::default()));
        if job
            .as_mut()
            .poll(&mut Context::from_waker(&first))
            .is_pending()
        {
            assert_eq!(block_on(job), 1);
        }
    });
}

/// The closure runs or is dropped, and whichever it is, once.
#[test]
fn a_future_dropped_while_its_job_begins() {
    check(|| {
        let (alive, runs) = (Arc::new(()), Arc::new(AtomicUsize::new(0)));
        let pool = builder(1).build().unwrap();
        let (value, count) = (Arc::clone(&alive), Arc::clone(&runs));
        let job = pool.run(move || {
            count.fetch_add(1, SeqCst);
            value
        });
        drop(job);
        // What has not begun by now never does.
        let begun = runs.load(SeqCst);
        if begun == 0 && Arc::strong_count(&runs) == 1 {
            block_on(pool.run(|| ()));
            assert_eq!(runs.load(SeqCst), 0);
        }
        drop(pool);
        assert_eq!(Arc::strong_count(&alive), 1);
    });
}

/// Two tasks await the one permit of an intake, and a third gives up at any moment.
#[test]
fn permits() {
    check(|| {
        let pool = builder(1).build().unwrap();
        let intake = pool.intake(1);
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let permit = block_on(intake.permit());
                    assert_eq!(block_on(permit.run(|| 1)), 1);
                });
            }
            threads.spawn(|| {
                let mut admission = Box::pin(intake.permit());
                let bell = Waker::from(std::sync::Arc::new(Bell::default()));
                drop(admission.as_mut().poll(&mut Context::from_waker(&bell)));
                drop(admission);
            });
        });
        assert_eq!(intake.free(), 1);
    });
}

/// As many turns as jobs, whichever worker comes to them and whichever joins runs them first.
#[test]
fn classes() {
    check(|| {
        let runs = Arc::new(AtomicUsize::new(0));
        let pool = builder(2).build().unwrap();
        let spawn = |class| {
            let runs = Arc::clone(&runs);
            pool.spawn_in(class, move || runs.fetch_add(1, SeqCst))
        };
        drop(spawn(Class::Low));
        spawn(Class::High).join().unwrap();
        drop(spawn(Class::Normal));
        drop(pool);
        assert_eq!(runs.load(SeqCst), 3);
    });
}

/// A thread sends a job while the pool is dropped: the job runs, or comes back, and the pool ends.
#[test]
fn a_job_sent_while_the_pool_closes() {
    check(|| {
        let pool = builder(1).build().unwrap();
        let (intake, runs) = (pool.intake(1), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&runs);
        let sender = thread::spawn(move || {
            let job = move || count.fetch_add(1, SeqCst);
            match intake.try_spawn(job) {
                Ok(_) => 1,
                Err(Refused::Closed(_)) => 0,
                Err(Refused::Full(_)) => panic!("none waits"),
            }
        });
        drop(pool);
        assert_eq!(sender.join().unwrap(), runs.load(SeqCst));
    });
}
