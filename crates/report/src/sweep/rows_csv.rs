//! Lines of a CSV file.

use std::fmt::Write as _;
use std::ops::Range;

use filch_experiments::sweep::{ColumnKind, ColumnValues, TableColumn};

use crate::csv::Field;

pub(super) fn lines(columns: &[TableColumn], rows: Range<usize>) -> String {
    let mut text = String::new();
    if rows.start == 0 {
        let names: Vec<_> = columns.iter().map(|column| column.column.name).collect();
        text = names.join(",") + "\n";
    }
    for row in rows {
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            // Writing to a string does not fail.
            let _ = write!(text, "{}", field(column, row));
        }
        text.push('\n');
    }
    text
}

fn field(column: &TableColumn, row: usize) -> Field<'_> {
    if !column.present[row] {
        return Field::Empty;
    }
    match (&column.values, column.column.kind) {
        (ColumnValues::Whole(values), _) => Field::Integer(values[row]),
        (ColumnValues::Real(values), _) => Field::Real(values[row]),
        (ColumnValues::Flag(values), _) => {
            Field::Keyword(if values[row] { "true" } else { "false" })
        }
        (ColumnValues::Text { names, codes }, ColumnKind::Word(words)) => {
            let name = &names[codes[row] as usize];
            let word = words.iter().find(|word| *word == name);
            Field::Keyword(word.expect("one of the words of the column"))
        }
        (ColumnValues::Text { names, codes }, _) => Field::Name(&names[codes[row] as usize]),
    }
}
