//! `filch natural`.

use filch_cli::asked::AskedNatural;
use filch_experiments::natural::{Conclusion, Replication};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::attend::{attend, refused};
use crate::steal::OwnSteal;

/// The load over time of a run: steps of each mean, and the means.
type Trajectory<'py> = (u64, Bound<'py, PyArray1<f64>>);
/// Values, ascending, and how often each occurred.
type Counts<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// Runs the process: the answer, the load over time in each run, and the distribution of the load.
/// `steal` takes the place of the steal function that the words name.
#[pyfunction]
#[pyo3(signature = (words, steal = None))]
pub(crate) fn natural<'py>(
    py: Python<'py>,
    words: Vec<String>,
    steal: Option<OwnSteal>,
) -> PyResult<(String, Vec<Trajectory<'py>>, Counts<'py>)> {
    let asked = AskedNatural::read(&words).map_err(refused)?;
    let (answer, runs, counts) = attend(py, Some(asked.threads), move |attention| {
        let runs = match &steal {
            Some(steal) => asked.study.run_with(steal, attention),
            None => asked.study.run(attention),
        };
        let conclusion = Conclusion::from(&runs, asked.study.length);
        let recovery = asked.recover;
        let recovery = recovery.map(|jobs| asked.study.recover(jobs, &conclusion, attention));
        let counts: (Vec<u64>, Vec<u64>) = conclusion.loads.iter().unzip();
        Ok((asked.json(&conclusion, recovery), runs, counts))
    })?;
    let trajectory = |run: &Replication| {
        let (every, means) = (run.trajectory.bin_len(), run.trajectory.bins());
        (every, means.to_vec().into_pyarray(py))
    };
    let trajectories = runs.iter().map(trajectory).collect();
    let (loads, steps) = (counts.0.into_pyarray(py), counts.1.into_pyarray(py));
    Ok((answer, trajectories, (loads, steps)))
}
