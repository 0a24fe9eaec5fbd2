//! A table for people: columns as wide as they need to be.

use std::fmt;

use crate::output::printable;

/// Rows under a heading. Columns whose cells are all numbers are set to the right. Cells may hold
/// names from files: what would not be seen is escaped.
pub(super) struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Self {
        Self {
            heading: heading.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push(cells.into_iter().map(|cell| printable(&cell)).collect());
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.heading.len();
        let titled = self.heading.iter().any(|title| !title.is_empty());
        let rows = || {
            titled
                .then_some(&self.heading)
                .into_iter()
                .chain(&self.rows)
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| rows().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        let number = |text: &str| text.parse::<f64>().is_ok();
        let right: Vec<bool> = (0..columns)
            .map(|column| {
                self.rows
                    .iter()
                    .all(|row| row[column].is_empty() || number(&row[column]))
            })
            .collect();
        for row in rows() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let space = " ".repeat(widths[column] - width(cell));
                let gap = if column > 0 { "  " } else { "" };
                line.push_str(gap);
                match right[column] {
                    true => line.extend([&*space, cell]),
                    false => line.extend([cell, &*space]),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["name", "value"]);
        table.row(["span".into(), "10".into()]);
        table.row(["stack depth Γ".into(), "3".into()]);
        assert_eq!(
            table.to_string(),
            "name           value\nspan              10\nstack depth Γ      3\n"
        );
    }

    #[test]
    fn a_cell_has_one_line() {
        let mut table = Table::new(["", ""]);
        table.row(["a\n\u{1b}[2J".into(), "b".into()]);
        assert_eq!(table.to_string(), "a\\n\\u{1b}[2J  b\n");
    }

    #[test]
    fn no_heading_no_line() {
        let mut table = Table::new(["", ""]);
        table.row(["a".into(), "b".into()]);
        assert_eq!(table.to_string(), "a  b\n");
    }
}
