//! What several test programs share.
#![allow(dead_code, reason = "each subject uses a part of this")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use filch::{IdlePolicy, Pool};

/// A test that takes longer than this hangs. On a quiet machine each takes a few seconds at most;
/// beside many busy processes it may take many times that.
const LONG: Duration = Duration::from_secs(120);

/// Runs a test on a thread of its own, and fails if it does not end.
pub(crate) fn finishes<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, outcome) = mpsc::channel();
    thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(test));
        // The receiver is gone if the test was given up.
        drop(done.send(result));
    });
    match outcome.recv_timeout(LONG) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => panic!("the test hangs"),
    }
}

/// Runs a test on pools with fewer, as many and more workers than most machines have processors.
pub(crate) fn on_pools(test: impl Fn(&Pool) + Send + 'static) {
    finishes(move || {
        for threads in [1, 2, 3, 8] {
            test(&pool(threads));
        }
    });
}

/// A pool of so many workers.
pub(crate) fn pool(threads: usize) -> Pool {
    Pool::new(threads).expect("a plain pool can be built")
}

/// Each way to be idle.
pub(crate) const IDLE_POLICIES: [IdlePolicy; 3] = [
    IdlePolicy::Park,
    IdlePolicy::Search(Duration::from_micros(50)),
    IdlePolicy::Spin,
];

/// A one-way signal between jobs.
#[derive(Default)]
pub(crate) struct Flag(AtomicUsize);

impl Flag {
    pub(crate) fn raise(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }

    /// Blocks until the flag is raised. If a job of this pool has to raise it, that job has to run
    /// on another worker.
    pub(crate) fn wait(&self) {
        self.wait_for(1);
    }

    /// Blocks until the flag was raised so many times.
    pub(crate) fn wait_for(&self, times: usize) {
        wait_until(|| self.0.load(Ordering::Acquire) >= times);
    }

    /// Waits for the flag for this long, and returns whether it was raised.
    pub(crate) fn is_raised_within(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while !self.is_raised() && Instant::now() < end {
            thread::yield_now();
        }
        self.is_raised()
    }
}

/// Waits for a condition that other threads bring about.
pub(crate) fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + LONG;
    while !condition() {
        assert!(
            Instant::now() < end,
            "what the test waits for does not happen"
        );
        thread::yield_now();
    }
}

/// Keeps the only worker busy until the flag is raised.
pub(crate) fn hold(pool: &Pool) -> Arc<Flag> {
    let (begun, open) = (Arc::new(Flag::default()), Arc::new(Flag::default()));
    let (in_job, gate) = (Arc::clone(&begun), Arc::clone(&open));
    drop(pool.spawn(move || {
        in_job.raise();
        gate.wait();
    }));
    begun.wait();
    open
}

/// Keeps the processor busy for a while.
pub(crate) fn compute_for(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

/// A panic that the panic hook does not print, so that the log shows only unplanned ones.
pub(crate) fn panic_with(number: usize) -> ! {
    resume_unwind(Box::new(number))
}

/// The payload of the panic of `work`, which must be a number.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> usize {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(_) => panic!("there was to be a panic"),
        Err(payload) => match payload.downcast::<usize>() {
            Ok(number) => *number,
            Err(other) => resume_unwind(other),
        },
    }
}

const ROLE: &str = "FILCH_TEST_ROLE";

/// The role of this process, if it was started by [`in_child`].
pub(crate) fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Runs the test `name` of this program again in a process of its own, where [`role`] is `role`.
/// A process that hangs is killed and counts as failed.
pub(crate) fn in_child(name: &str, role: &str, environment: &[(&str, &str)]) -> Output {
    let mut child = Command::new(std::env::current_exe().expect("a test has a program"))
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env_remove("FILCH_NUM_THREADS")
        .env(ROLE, role)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a test can be started again");
    let end = Instant::now() + LONG;
    while child.try_wait().expect("the child is ours").is_none() {
        if Instant::now() > end {
            child.kill().expect("the child is ours");
            let output = child.wait_with_output().expect("the child is ours");
            panic!("{role} hangs: {}", String::from_utf8_lossy(&output.stderr));
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("the child is ours")
}

/// Fails with the output of the child, if the child has failed.
pub(crate) fn assert_success(role: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{role}: {}\n{said}", output.status);
}
