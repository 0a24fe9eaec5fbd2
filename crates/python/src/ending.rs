//! How a run ends before its time.
//!
//! Simulators and policies return no errors: a decision is a number. So a run is ended by
//! unwinding, with one of these as the payload. [`std::panic::resume_unwind`] does not call the
//! panic hook, so nothing is printed. `filch`'s pool passes the payload on to the thread that
//! waits for the runs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// Why a run ends.
pub(crate) enum Ending {
    /// The caller does not want it any more.
    Stopped,
    /// Python code that the run called has raised.
    Raised(PyErr),
    /// A function pointer made a decision that makes no sense.
    Nonsense(String),
}

impl Ending {
    /// Ends the run.
    pub(crate) fn end(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

/// Makes a run, which may end early. A panic of any other kind goes on.
pub(crate) fn until_ended<T>(run: impl FnOnce() -> T) -> Result<T, PyErr> {
    // What the run has changed is dropped with it: no other code sees it half done.
    catch_unwind(AssertUnwindSafe(run)).map_err(raised)
}

/// What to raise for this payload.
pub(crate) fn raised(payload: Box<dyn Any + Send>) -> PyErr {
    match payload.downcast::<Ending>() {
        Ok(ending) => match *ending {
            Ending::Raised(error) => error,
            Ending::Nonsense(what) => PyValueError::new_err(what),
            Ending::Stopped => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        },
        Err(panic) => resume_unwind(panic),
    }
}
