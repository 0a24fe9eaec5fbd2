//! Runs without the GIL, and Ctrl-C.
//!
//! Signals are handled by the main thread of Python, and only while it runs Python code. So the
//! runs are made on another thread. The caller waits for them with the GIL released, and looks for
//! signals every [`PERIOD`]. After one, the runs end at the next sign of progress; the caller waits
//! [`GRACE`] for that and no longer. Python's own handlers say what a signal does: Ctrl-C raises
//! `KeyboardInterrupt`.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use filch_cli::Failure;
use filch_experiments::{Progress, parallel};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::ending::{Ending, raised};

/// How often a waiting caller looks for signals.
const PERIOD: Duration = Duration::from_millis(50);
/// How long the caller waits for runs that are to end.
const GRACE: Duration = Duration::from_secs(1);

/// What the runs report their progress to, which ends them once the caller has gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attention {
    stopped: Arc<AtomicBool>,
}

impl Progress for Attention {
    fn expect(&self, _: usize) {}

    fn done(&self) {
        self.going();
    }

    fn going(&self) {
        // Ordering: Relaxed, since the flag guards no other memory.
        if self.stopped.load(Ordering::Relaxed) {
            Ending::Stopped.end();
        }
    }
}

/// Calls `run` on another thread, with experiments on so many threads or as many as the process
/// chooses, and waits for it.
///
/// # Errors
///
/// `ValueError` or `RuntimeError` with the sentence of the failure, what a signal handler has
/// raised, or what Python code that the run called has raised.
pub(crate) fn attend<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<NonZero<usize>>,
    run: impl FnOnce(&Attention) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let attention = Attention::default();
    let stopped = Arc::clone(&attention.stopped);
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let run = || match threads {
            Some(threads) => parallel::with_threads(threads, || run(&attention)),
            None => run(&attention),
        };
        // The receiver has gone if the caller did not wait.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(run)));
    };
    thread::Builder::new().spawn(work)?;
    // Only this thread locks it: a receiver alone cannot be lent to `detach`.
    let receiver = Mutex::new(receiver);
    let wait = |time| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(time)
    };
    loop {
        match py.detach(|| wait(PERIOD)) {
            Ok(Ok(result)) => return result.map_err(refused),
            Ok(Err(payload)) => return Err(raised(payload)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread of the runs has gone"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    // Ordering: Relaxed, as in `done`.
                    stopped.store(true, Ordering::Relaxed);
                    let _ = py.detach(|| wait(GRACE));
                    return Err(signal);
                }
            }
        }
    }
}

/// The exception with the sentence that the command line prints.
pub(crate) fn refused(failure: Failure) -> PyErr {
    let sentence = failure.sentence().unwrap_or_default();
    match failure {
        Failure::Usage(_) | Failure::Lines(_) => PyValueError::new_err(sentence),
        Failure::Run(_) | Failure::ClosedPipe => PyRuntimeError::new_err(sentence),
    }
}
