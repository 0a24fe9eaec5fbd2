//! What a run results in.

use super::column::{Cell, ResultCell};

/// The results of one replication of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number of the point, from 0.
    pub point: u64,
    /// The number of the replication, from 0.
    pub replication: u64,
    /// A cell for each column of results of the model.
    pub cells: Vec<ResultCell>,
}

impl Row {
    /// By which rows are ordered.
    pub fn key(&self) -> (u64, u64) {
        (self.point, self.replication)
    }

    /// The number in a column, if there is one.
    pub(super) fn number(&self, column: usize) -> Option<f64> {
        match self.cells[column] {
            Cell::Whole(number) => Some(number as f64),
            Cell::Real(number) => Some(number),
            _ => None,
        }
    }
}
