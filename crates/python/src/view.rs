//! What a policy in Python sees.

use filch_policy::dispatch::View;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::rng::Rng;

/// The servers, as a policy sees them. The arrays are the same objects at every decision: what is
/// to be kept has to be copied.
#[pyclass(frozen, name = "View", module = "filch")]
pub(crate) struct PolicyView {
    servers: usize,
    queues: Py<PyArray1<u32>>,
    speeds: Py<PyArray1<f64>>,
    rng: Py<Rng>,
}

impl PolicyView {
    pub(crate) fn new(py: Python<'_>, view: &View<'_>, word: u64) -> PyResult<Self> {
        Ok(Self {
            servers: view.servers(),
            queues: PyArray1::from_slice(py, view.queues()).unbind(),
            speeds: PyArray1::from_slice(py, view.speeds()).unbind(),
            rng: Py::new(py, Rng::of(word))?,
        })
    }

    /// Shows the queues as they are now.
    pub(crate) fn show(&self, py: Python<'_>, queues: &[u32]) -> PyResult<()> {
        let mut shown = self.queues.bind(py).try_readwrite()?;
        shown.as_slice_mut()?.copy_from_slice(queues);
        Ok(())
    }
}

#[pymethods]
impl PolicyView {
    /// How many servers there are.
    #[getter]
    fn servers(&self) -> usize {
        self.servers
    }

    /// The queue lengths before this batch: all jobs not yet finished.
    #[getter]
    fn queues(&self, py: Python<'_>) -> Py<PyArray1<u32>> {
        self.queues.clone_ref(py)
    }

    /// Jobs that each server can serve in a unit of time, on average.
    #[getter]
    fn speeds(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.speeds.clone_ref(py)
    }

    /// Where to take random numbers from.
    #[getter]
    fn rng(&self, py: Python<'_>) -> Py<Rng> {
        self.rng.clone_ref(py)
    }
}
