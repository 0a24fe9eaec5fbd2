//! Tables for the terminal: columns as wide as their widest cell.
//!
//! Crates for such tables draw frames and wrap cells to the width of the terminal. Ours are plain
//! lines, the same wherever they are printed, so that other programs can cut and compare them.

mod text_cell;

use std::fmt;

pub use text_cell::TextCell;

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
    heading: Vec<TextCell>,
    rows: Vec<Vec<TextCell>>,
    right_from: Option<usize>,
}

impl TextTable {
    /// A table with these titles and no rows.
    pub fn new<C: Into<TextCell>>(heading: impl IntoIterator<Item = C>) -> Self {
        Self {
            heading: heading.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            right_from: None,
        }
    }

    /// A table without a heading.
    pub fn untitled(columns: usize) -> Self {
        Self::new(vec![TextCell::default(); columns])
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
    pub fn row<C: Into<TextCell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let cells: Vec<TextCell> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.heading.len(), "a cell for each column");
        self.rows.push(cells);
    }

    fn is_right(&self, column: usize) -> bool {
        match self.right_from {
            Some(first) => column >= first,
            None => self.rows.iter().all(|row| row[column].is_number()),
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
                line += &if right {
                    format!("{gap}{space}{cell}")
                } else {
                    format!("{gap}{cell}{space}")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstyle::Style;

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
    fn a_cell_has_one_line() {
        let mut table = TextTable::untitled(2);
        table.row(["a\n\u{1b}[2J", "b"]);
        assert_eq!(table.to_string(), "a\\n\\u{1b}[2J  b\n");
    }

    #[test]
    fn a_colour_takes_no_room() {
        let green = Style::new().fg_color(Some(anstyle::AnsiColor::Green.into()));
        let mut table = TextTable::new(["verdict", "mean"]);
        table.row([TextCell::styled("stable", green), "1".into()]);
        assert_eq!(
            table.to_string(),
            "verdict  mean\n\u{1b}[32mstable\u{1b}[0m      1\n"
        );
    }

    #[test]
    #[should_panic(expected = "a cell for each column")]
    fn a_short_row_is_refused() {
        TextTable::untitled(2).row(["alone"]);
    }
}
