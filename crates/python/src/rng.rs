//! Random numbers for a policy that is written in Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use filch_random::{Purpose, Seed, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::RngExt;

/// Where the choices of a policy in Python come from.
const POLICY: Purpose = Purpose::named("pypolicy");

/// A random stream, which depends on the seed of the run alone.
#[pyclass(frozen, module = "filch")]
pub(crate) struct Rng(Mutex<Stream>);

impl Rng {
    /// The stream that this word of the policy's routing stream leads to.
    pub(crate) fn of(word: u64) -> Self {
        Self(Mutex::new(Seed::new(word).stream(POLICY, 0, 0)))
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Rng {
    /// A number from 0 to n − 1, all alike.
    fn below(&self, n: u64) -> PyResult<u64> {
        match n {
            0 => Err(PyValueError::new_err("below(0): there is no such number")),
            _ => Ok(self.stream().random_range(0..n)),
        }
    }

    /// A real number from 0 up to, not including, 1.
    fn random(&self) -> f64 {
        self.stream().random()
    }

    /// k different numbers from 0 to n − 1, in random order.
    fn sample(&self, n: u64, k: u64) -> PyResult<Vec<u64>> {
        if k > n {
            let what = format!("sample({n}, {k}): there are only {n} numbers");
            return Err(PyValueError::new_err(what));
        }
        let mut stream = self.stream();
        // Floyd's algorithm chooses the set; inserting at a random place makes the order random.
        let mut chosen: Vec<u64> = Vec::with_capacity(k as usize);
        for most in n - k..n {
            let number = stream.random_range(0..=most);
            let number = if chosen.contains(&number) {
                most
            } else {
                number
            };
            let place = stream.random_range(0..=chosen.len());
            chosen.insert(place, number);
        }
        Ok(chosen)
    }
}
