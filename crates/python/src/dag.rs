//! `filch dag run` and `filch dag measure`.

use filch_cli::Failure;
use filch_cli::asked::{self, AskedDag};
use filch_experiments::parallel;
use filch_sim::machine::MachineOutcome;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::attend::attend;
use crate::promised::answer;

/// Columns of the runs: a name, and a number for each run.
type Columns<'py> = Vec<(&'static str, Bound<'py, PyArray1<u64>>)>;

/// What a column is called, and what it has of a run.
type Column = (&'static str, fn(&MachineOutcome) -> u64);

const COLUMNS: [Column; 8] = [
    ("time", |run| run.time),
    ("work", |run| run.work),
    ("steal", |run| run.steal),
    ("wait", |run| run.wait),
    ("idle", |run| run.idle),
    ("steals", |run| run.steals),
    ("peak_space", |run| run.peak_space),
    ("communication", |run| run.communication),
];

/// Runs a computation: the answer, its measures, and the columns of its runs.
#[pyfunction]
pub(crate) fn dag<'py>(
    py: Python<'py>,
    words: Vec<String>,
) -> PyResult<(String, String, Columns<'py>)> {
    let (answer, measures, columns) = attend(py, None, move |attention| {
        let asked = AskedDag::read(&words)?;
        let outcomes =
            parallel::with_threads(asked.threads, || asked.executions().outcomes(attention));
        let outcomes = outcomes.map_err(|broken| Failure::Run(broken.to_string()))?;
        let columns = COLUMNS.map(|(_, of)| outcomes.iter().map(of).collect::<Vec<u64>>());
        Ok((asked.json(&outcomes), asked.measures(), columns))
    })?;
    let columns = COLUMNS.iter().zip(columns);
    let columns = columns.map(|((name, _), values)| (*name, values.into_pyarray(py)));
    Ok((answer, measures, columns.collect()))
}

/// `filch dag measure`.
#[pyfunction]
pub(crate) fn measure(py: Python<'_>, words: Vec<String>) -> PyResult<String> {
    answer(py, words, asked::measure)
}
