//! A value of a table as people read it.

use crate::number;
use crate::values::Cell;

/// The text of a cell.
pub(crate) fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Integer(count) => count.to_string(),
        Cell::Real(quantity) => number::short(*quantity),
    }
}
