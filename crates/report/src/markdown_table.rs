//! Tables in Markdown, line by line: a long run can print each row when it is done.

/// Which way a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// The two lines above the rows: the titles, and how the columns are aligned.
///
/// ```
/// use filch_report::markdown_table::{Align, head, row};
///
/// let mut table = head(&[("policy", Align::Left), ("mean", Align::Right)]);
/// table += &row(["pi", "1.5"]);
/// assert_eq!(table, "| policy | mean |\n|---|--:|\n| pi | 1.5 |\n");
/// ```
pub fn head<S: AsRef<str>>(columns: &[(S, Align)]) -> String {
    let mut lines = row(columns.iter().map(|(title, _)| title));
    lines.push('|');
    for (_, align) in columns {
        lines.push_str(match align {
            Align::Left => "---|",
            Align::Right => "--:|",
        });
    }
    lines.push('\n');
    lines
}

/// One row. A `|` inside a cell does not end it.
pub fn row<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let mut line = String::from("|");
    for cell in cells {
        line.push(' ');
        line.push_str(&cell.as_ref().replace('|', "\\|"));
        line.push_str(" |");
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_does_not_end_a_cell() {
        assert_eq!(row(["|x|", "1"]), "| \\|x\\| | 1 |\n");
    }
}
