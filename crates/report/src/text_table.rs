//! Tables for the terminal: columns as wide as their widest cell.
//!
//! Crates for such tables draw frames and wrap cells to the width of the terminal. Ours are plain
//! lines, the same wherever they are printed, so that other programs can cut and compare them.

use std::fmt;

use unicode_width::UnicodeWidthStr as _;

/// Rows under a heading, two spaces between columns.
///
/// A column of which every cell is a number or empty is aligned to the right, any other to the
/// left, unless [`right_from`](TextTable::right_from) says otherwise. Without a heading (every
/// title is empty) the first line is the first row.
///
/// ```
/// use filch_report::text_table::TextTable;
///
/// let mut table = TextTable::new(["policy", "mean"]);
/// table.row(["random", "10.5"]);
/// table.row(["pi", "3"]);
/// assert_eq!(table.to_string(), "policy  mean\nrandom  10.5\npi         3\n");
/// ```
#[derive(Clone, Debug)]
pub struct TextTable {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
    right_from: Option<usize>,
}

impl TextTable {
    /// A table with these titles and no rows.
    pub fn new<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Self {
        Self {
            heading: heading.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            right_from: None,
        }
    }

    /// A table without a heading.
    pub fn untitled(columns: usize) -> Self {
        Self::new(vec![String::new(); columns])
    }

    /// The same table with all columns from number `column` on, counted from zero, to the right,
    /// and those before it to the left.
    pub fn right_from(mut self, column: usize) -> Self {
        self.right_from = Some(column);
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If there is not one cell for each column.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.heading.len(), "a cell for each column");
        self.rows.push(cells);
    }

    fn is_right(&self, column: usize) -> bool {
        let is_number = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
        match self.right_from {
            Some(first) => column >= first,
            None => self.rows.iter().all(|row| is_number(&row[column])),
        }
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titled = self.heading.iter().any(|title| !title.is_empty());
        let lines = || {
            let heading = titled.then_some(&self.heading);
            heading.into_iter().chain(&self.rows)
        };
        let columns: Vec<(usize, bool)> = (0..self.heading.len())
            .map(|column| {
                let widths = lines().map(|line| line[column].width());
                (widths.max().unwrap_or(0), self.is_right(column))
            })
            .collect();
        for cells in lines() {
            let mut line = String::new();
            for (at, (cell, &(width, right))) in cells.iter().zip(&columns).enumerate() {
                let gap = if at > 0 { "  " } else { "" };
                let space = " ".repeat(width - cell.width());
                match right {
                    true => line.extend([gap, &space, cell]),
                    false => line.extend([gap, cell, &space]),
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
        let mut table = TextTable::new(["name", "value"]);
        table.row(["span", "10"]);
        table.row(["stack depth Γ", "3"]);
        assert_eq!(
            table.to_string(),
            "name           value\nspan              10\nstack depth Γ      3\n"
        );
    }

    #[test]
    fn no_heading_no_line() {
        let mut table = TextTable::untitled(2);
        table.row(["a", "b"]);
        assert_eq!(table.to_string(), "a  b\n");
    }

    #[test]
    fn all_but_the_first_to_the_right() {
        let mut table = TextTable::new(["policy", "± 95 %"]).right_from(1);
        table.row(["x", "~1.5"]);
        assert_eq!(table.to_string(), "policy  ± 95 %\nx         ~1.5\n");
    }

    /// A thread's name comes from a file and may be in any script.
    #[test]
    fn wide_characters_take_two_columns() {
        let mut table = TextTable::new(["thread", "step"]);
        table.row(["親", "1"]);
        table.row(["child", "2"]);
        assert_eq!(
            table.to_string(),
            "thread  step\n親         1\nchild      2\n"
        );
    }

    #[test]
    #[should_panic(expected = "a cell for each column")]
    fn a_short_row_is_refused() {
        TextTable::untitled(2).row(["alone"]);
    }
}
