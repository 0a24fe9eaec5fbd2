//! All rows of a sweep, column by column.

use super::column::{Cell, Column, ColumnKind};
use super::plan::{IDENTITY, Plan};
use super::row::Row;

/// All rows of a sweep, by point and then by replication. Whatever machines made them, the table is
/// the same.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    plan: &'a Plan,
    rows: Vec<Row>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name, type and meaning.
    pub column: Column,
    /// A value for each row; a row without one has a placeholder.
    pub values: ColumnValues,
    /// Whether each row has a value.
    pub present: Vec<bool>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers; 0 where there is no value.
    Whole(Vec<u64>),
    /// Real numbers; NaN where there is no value.
    Real(Vec<f64>),
    /// Yes or no; no where there is no value.
    Flag(Vec<bool>),
    /// Texts: `names[codes[i]]` is that of row i.
    Text {
        /// The different texts.
        names: Vec<String>,
        /// The number of each row's text.
        codes: Vec<u32>,
    },
}

impl<'a> Table<'a> {
    /// The table of these rows, in any order.
    ///
    /// # Errors
    ///
    /// If a row is missing, there twice, or none of the plan's.
    pub fn of(plan: &'a Plan, mut rows: Vec<Row>) -> Result<Self, String> {
        rows.sort_by_key(Row::key);
        let name = |row: &Row| format!("point {}, replication {}", row.point, row.replication);
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            return Err(format!("{} is there twice", name(&pair[0])));
        }
        let mut rest = &rows[..];
        for point in 0..plan.points() {
            let count = rest.iter().take_while(|row| row.point == point).count();
            let (of_point, others) = rest.split_at(count);
            let missing = || of_point.len() as u64 != plan.due(point, of_point);
            let in_order = (0..).zip(of_point).all(|(at, row)| row.replication == at);
            if !in_order || missing() {
                return Err(format!("point {point} does not have all its replications"));
            }
            rest = others;
        }
        match rest {
            [] => Ok(Self { plan, rows }),
            [foreign, ..] => Err(format!("{} is not of the plan", name(foreign))),
        }
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The columns, with the values of all rows.
    pub fn columns(&self) -> Vec<TableColumn> {
        let all = self.plan.columns();
        let parameters = IDENTITY.len()..IDENTITY.len() + self.plan.model().parameters.len();
        let mut columns: Vec<Building> = all
            .into_iter()
            .map(|column| Building::of(column, self.rows.len()))
            .collect();
        for (rows, values) in self.by_point() {
            let [model, seed, point, replication] = [0, 1, 2, 3];
            columns[model].fill(Cell::Text(self.plan.model().name), rows.len());
            columns[seed].fill(self.plan.seed().get().into(), rows.len());
            columns[point].fill(rows[0].point.into(), rows.len());
            for row in rows {
                columns[replication].fill(row.replication.into(), 1);
            }
            for (at, value) in parameters.clone().zip(&values) {
                columns[at].fill(value.into(), rows.len());
            }
            for (result, column) in columns[parameters.end..].iter_mut().enumerate() {
                for row in rows {
                    column.fill(row.cells[result], 1);
                }
            }
        }
        columns.into_iter().map(|column| column.built).collect()
    }

    /// The rows of each point with the values of its parameters.
    pub fn by_point(&self) -> impl Iterator<Item = (&[Row], Vec<Option<super::Value>>)> {
        let points = self
            .rows
            .chunk_by(|first, second| first.point == second.point);
        points.map(|rows| (rows, self.plan.parameters_of(rows[0].point)))
    }
}

/// A column that gets its values one after another.
struct Building {
    built: TableColumn,
}

impl Building {
    fn of(column: Column, rows: usize) -> Self {
        let values = match column.kind {
            ColumnKind::Whole => ColumnValues::Whole(Vec::with_capacity(rows)),
            ColumnKind::Real => ColumnValues::Real(Vec::with_capacity(rows)),
            ColumnKind::Flag => ColumnValues::Flag(Vec::with_capacity(rows)),
            ColumnKind::Text | ColumnKind::Word(_) => ColumnValues::Text {
                names: Vec::new(),
                codes: Vec::with_capacity(rows),
            },
        };
        Self {
            built: TableColumn {
                column,
                values,
                present: Vec::with_capacity(rows),
            },
        }
    }

    fn fill(&mut self, cell: Cell<'_>, rows: usize) {
        let TableColumn {
            values, present, ..
        } = &mut self.built;
        present.resize(present.len() + rows, cell != Cell::Missing);
        match values {
            ColumnValues::Whole(values) => {
                let Cell::Whole(value) = cell else {
                    return values.resize(values.len() + rows, 0);
                };
                values.resize(values.len() + rows, value);
            }
            ColumnValues::Real(values) => {
                let Cell::Real(value) = cell else {
                    return values.resize(values.len() + rows, f64::NAN);
                };
                values.resize(values.len() + rows, value);
            }
            ColumnValues::Flag(values) => {
                values.resize(values.len() + rows, cell == Cell::Flag(true));
            }
            ColumnValues::Text { names, codes } => {
                let text = if let Cell::Text(text) = cell {
                    text
                } else {
                    ""
                };
                // Values of neighbouring rows are often the same, and there are few in all.
                let known = names.iter().rposition(|name| name == text);
                let code = known.unwrap_or_else(|| {
                    names.push(text.to_owned());
                    names.len() - 1
                });
                codes.resize(codes.len() + rows, code as u32);
            }
        }
    }
}
