//! Columns of text.

/// Rows of cells, the first of which is the heading.
pub(super) struct Lines(Vec<Vec<String>>);

impl Lines {
    pub(super) fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self(vec![heading.map(str::to_owned).to_vec()])
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.0.push(cells.map(str::to_owned).to_vec());
    }

    /// As a table of Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut text = String::new();
        for (number, cells) in self.0.iter().enumerate() {
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
            if number == 0 {
                text.push_str(&format!("|{}\n", "---|".repeat(cells.len())));
            }
        }
        text
    }
}
