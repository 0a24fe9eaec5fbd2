//! A steal function of a user's own.

use std::sync::Arc;

use filch_policy::steal::Steal;
use pyo3::prelude::*;

use crate::ending::Ending;

/// A table of f(0), f(1), …; for larger loads a function, or else the last value of the table.
#[derive(Clone)]
pub(crate) struct OwnSteal {
    table: Arc<[u64]>,
    beyond: Option<Arc<Py<PyAny>>>,
}

impl<'py> FromPyObject<'_, 'py> for OwnSteal {
    type Error = PyErr;

    /// From a pair: the table, which is not empty, and the function or `None`.
    fn extract(pair: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (table, beyond): (Vec<u64>, Option<Py<PyAny>>) = pair.extract()?;
        Ok(Self {
            table: table.into(),
            beyond: beyond.map(Arc::new),
        })
    }
}

impl Steal for OwnSteal {
    #[inline]
    fn wanted(&self, load: u64) -> u64 {
        let known = usize::try_from(load).ok().and_then(|at| self.table.get(at));
        match (known, &self.beyond) {
            (Some(&jobs), _) => jobs,
            (None, Some(function)) => ask(function, load),
            (None, None) => self.table.last().copied().unwrap_or(0),
        }
    }
}

/// Asks the function, which ends the run if it raises.
#[cold]
fn ask(function: &Py<PyAny>, load: u64) -> u64 {
    let answer = Python::attach(|py| function.call1(py, (load,))?.extract::<u64>(py));
    answer.unwrap_or_else(|error| Ending::Raised(error).end())
}
