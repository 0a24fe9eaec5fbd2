//! Sweeps: a plan, its rows as plain Python values, and the table of all rows.
//!
//! A row is `(point, replication, cells)`, so that any library can send it from process to process.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use filch_cli::{Failure, asked};
use filch_experiments::sweep::{
    Cell, Column, ColumnKind, ColumnValues, Description, Keeper, NotKept, Plan, ResultCell, Row,
    Table, Unfinished, Value,
};
use filch_experiments::{Progress as _, parallel};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::attend::{Attention, attend, refused};

/// A row as Python has it.
type PlainRow<'py> = (u64, u64, Vec<Bound<'py, PyAny>>);
/// A column: its name, its values, and which of them are there.
type ColumnArrays<'py> = (&'static str, Bound<'py, PyAny>, Bound<'py, PyArray1<bool>>);

/// A sweep that was checked.
#[pyclass(frozen, name = "SweepPlan", module = "filch._native")]
pub(crate) struct SweepPlan(Arc<Plan>);

#[pymethods]
impl SweepPlan {
    /// The plan of plain data.
    #[new]
    #[pyo3(signature = (model, grid, replications, until, most_replications, seed))]
    fn new(
        model: String,
        grid: Vec<(String, Vec<Bound<'_, PyAny>>)>,
        replications: Option<u64>,
        until: Option<f64>,
        most_replications: Option<u64>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let values = |(name, values): (String, Vec<Bound<'_, PyAny>>)| {
            let values: PyResult<Vec<Value>> = values.iter().map(|one| value(&name, one)).collect();
            PyResult::Ok((name, values?))
        };
        let plan = Plan::new(&Description {
            model,
            grid: grid.into_iter().map(values).collect::<PyResult<_>>()?,
            replications,
            until,
            most_replications,
            seed,
        });
        let plan = plan.map_err(|refusal| PyValueError::new_err(refusal.to_string()))?;
        Ok(Self(Arc::new(plan)))
    }

    /// The plan of a sweep file, with the words that `filch sweep` takes besides.
    #[staticmethod]
    fn read(words: Vec<String>) -> PyResult<Self> {
        let plan = asked::sweep_plan(&words).map_err(refused)?;
        Ok(Self(Arc::new(plan)))
    }

    /// The plan of a sweep file in its canonical form.
    #[staticmethod]
    fn of_canonical(text: &str) -> PyResult<Self> {
        let plan = asked::canonical_plan(text).map_err(refused)?;
        Ok(Self(Arc::new(plan)))
    }

    /// The plan as a sweep file in its canonical form.
    fn canonical(&self) -> String {
        self.0.canonical()
    }

    /// How many points there are.
    #[getter]
    fn points(&self) -> u64 {
        self.0.points()
    }

    /// The expected time of a run of this point, in units that are the same for all points.
    fn weight(&self, point: u64) -> PyResult<f64> {
        if point < self.0.points() {
            Ok(self.0.weight(point))
        } else {
            Err(PyValueError::new_err(format!("there is no point {point}")))
        }
    }

    /// All rows of these points, made on so many threads.
    fn complete<'py>(
        &self,
        py: Python<'py>,
        points: Vec<u64>,
        threads: usize,
    ) -> PyResult<Vec<PlainRow<'py>>> {
        let plan = Arc::clone(&self.0);
        let threads = NonZero::new(threads).unwrap_or_else(parallel::threads);
        let unknown = points.iter().find(|&&point| point >= plan.points());
        if let Some(point) = unknown {
            return Err(PyValueError::new_err(format!("there is no point {point}")));
        }
        let rows = attend(py, Some(threads), move |attention| {
            let made = plan.complete(&points, Vec::new(), &Attentive(attention));
            made.map_err(|unfinished: Unfinished| Failure::Run(unfinished.to_string()))
        })?;
        rows.into_iter().map(|row| plain(py, row)).collect()
    }

    /// The table of all rows, which come in any order: its columns.
    fn columns<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<PlainRow<'py>>,
    ) -> PyResult<Vec<ColumnArrays<'py>>> {
        let rows = self.rows(&rows)?;
        let table = Table::of(&self.0, rows).map_err(PyValueError::new_err)?;
        let columns = table.columns().into_iter().map(|column| {
            let values = match column.values {
                ColumnValues::Whole(numbers) => numbers.into_pyarray(py).into_any(),
                ColumnValues::Real(numbers) => numbers.into_pyarray(py).into_any(),
                ColumnValues::Flag(flags) => flags.into_pyarray(py).into_any(),
                ColumnValues::Text { names, codes } => (names, codes.into_pyarray(py))
                    .into_pyobject(py)?
                    .into_any(),
            };
            let present = column.present.into_pyarray(py);
            PyResult::Ok((column.column.name, values, present))
        });
        columns.collect()
    }

    /// How many points in these rows, which are in order, are not as precise as is wanted.
    fn wide(&self, rows: Vec<PlainRow<'_>>) -> PyResult<usize> {
        Ok(self.0.wide(&self.rows(&rows)?))
    }

    /// The files of the table: `rows.csv`, `rows.parquet` and `manifest.json` as `filch sweep`
    /// writes them.
    fn files<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<PlainRow<'py>>,
    ) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
        let rows = self.rows(&rows)?;
        let plan = Arc::clone(&self.0);
        let files = attend(py, None, move |_| {
            let table = Table::of(&plan, rows).map_err(Failure::Usage)?;
            Ok(asked::sweep_files(&table))
        })?;
        let files = files.into_iter();
        Ok(files
            .map(|(name, content)| (name, PyBytes::new(py, &content)))
            .collect())
    }
}

impl SweepPlan {
    /// Rows as the plan has them.
    fn rows(&self, rows: &[PlainRow<'_>]) -> PyResult<Vec<Row>> {
        let columns = self.0.model().results;
        let row = |(point, replication, cells): &PlainRow<'_>| {
            if cells.len() != columns.len() {
                let what = format!("a row has {} cells, not {}", columns.len(), cells.len());
                return Err(PyValueError::new_err(what));
            }
            let cells = columns.iter().zip(cells);
            Ok(Row {
                point: *point,
                replication: *replication,
                cells: cells
                    .map(|(column, one)| cell(column, one))
                    .collect::<PyResult<_>>()?,
            })
        };
        rows.iter().map(row).collect()
    }
}

/// Ends a sweep once its caller has gone.
struct Attentive<'a>(&'a Attention);

impl Keeper for Attentive<'_> {
    fn expect(&self, rows: &[(u64, u64)]) {
        NotKept.expect(rows);
    }

    fn keep(&self, row: &Row, took: Duration) -> ControlFlow<()> {
        self.0.done();
        NotKept.keep(row, took)
    }
}

/// A value of a grid. A flag is a number to Python too, so it is looked for first.
fn value(name: &str, one: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(flag) = one.extract::<bool>() {
        return Ok(Value::Flag(flag));
    }
    if let Ok(text) = one.extract::<String>() {
        return Ok(Value::Text(text));
    }
    if one.hasattr("__index__")? {
        return Ok(Value::Whole(one.extract()?));
    }
    one.extract().map(Value::Real).map_err(|_| {
        PyTypeError::new_err(format!(
            "{name}: a value is a number, a text, or True or False"
        ))
    })
}

/// The numbers of a range, as a sweep file has them.
#[pyfunction]
pub(crate) fn sweep_range<'py>(
    py: Python<'py>,
    name: &str,
    first: &Bound<'py, PyAny>,
    last: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let [first, last, step] = [value(name, first)?, value(name, last)?, value(name, step)?];
    let values = asked::sweep_range(&first, &last, &step);
    let values = values.map_err(|what| PyValueError::new_err(format!("{name}: {what}")))?;
    let plain = values.into_iter().map(|value| {
        Ok(match value {
            Value::Whole(number) => number.into_pyobject(py)?.into_any(),
            Value::Real(number) => number.into_pyobject(py)?.into_any(),
            Value::Text(text) => PyString::new(py, &text).into_any(),
            Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        })
    });
    plain.collect()
}

fn plain(py: Python<'_>, row: Row) -> PyResult<PlainRow<'_>> {
    let cells = row.cells.into_iter().map(|cell| {
        Ok(match cell {
            Cell::Whole(number) => number.into_pyobject(py)?.into_any(),
            Cell::Real(number) => number.into_pyobject(py)?.into_any(),
            Cell::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            Cell::Text(text) => PyString::new(py, text).into_any(),
            Cell::Missing => py.None().into_bound(py),
        })
    });
    Ok((row.point, row.replication, cells.collect::<PyResult<_>>()?))
}

/// A cell of this column; its text is one of the words of the column.
fn cell(column: &Column, one: &Bound<'_, PyAny>) -> PyResult<ResultCell> {
    if one.is_none() {
        return Ok(Cell::Missing);
    }
    Ok(match column.kind {
        ColumnKind::Whole => Cell::Whole(one.extract()?),
        ColumnKind::Real => Cell::Real(one.extract()?),
        ColumnKind::Flag => Cell::Flag(one.extract()?),
        ColumnKind::Text => {
            let what = format!("the column {} has no words", column.name);
            return Err(PyValueError::new_err(what));
        }
        ColumnKind::Word(words) => {
            let text: String = one.extract()?;
            let known = words.iter().find(|word| **word == text);
            Cell::Text(
                known.ok_or_else(|| {
                    PyValueError::new_err(format!("'{text}' is no {}", column.name))
                })?,
            )
        }
    })
}
