//! CSV files (RFC 4180), for spreadsheets and other programs.
//!
//! Written by hand because the quotes carry meaning: a name is always in quotes, even the policy
//! `1`; a number or a keyword never is. The `csv` crate quotes all text or only what must be
//! quoted. The tests read our files back with it.

use std::fmt::{self, Write as _};

/// A CSV file in memory: a line of column names, then a line for each row.
///
/// ```
/// use filch_report::csv::{Csv, Field};
///
/// let mut file = Csv::new(&["policy", "verdict", "mean", "low"]);
/// file.row(&[Field::Name("jsq:2"), Field::Keyword("stable"), 1.5.into(), Field::Empty]);
/// assert_eq!(file.into_text(), "policy,verdict,mean,low\n\"jsq:2\",stable,1.5,\n");
/// ```
#[derive(Clone, Debug)]
pub struct Csv {
    text: String,
    columns: usize,
}

/// A value in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field<'a> {
    /// Any text: written in quotes, which are doubled inside.
    Name(&'a str),
    /// A word of ours without commas, quotes and line ends: written as it is.
    Keyword(&'static str),
    /// A count.
    Integer(u64),
    /// A quantity, in the shortest digits that are read back as the same number.
    Real(f64),
    /// No value.
    Empty,
}

impl Csv {
    /// A file without rows. Column names are words of ours.
    pub fn new(columns: &[&'static str]) -> Self {
        Self {
            text: columns.join(",") + "\n",
            columns: columns.len(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If there is not one field for each column.
    pub fn row(&mut self, fields: &[Field<'_>]) {
        assert_eq!(fields.len(), self.columns, "a field for each column");
        for (at, field) in fields.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(self.text, "{comma}{field}");
        }
        self.text.push('\n');
    }

    /// The content of the file.
    pub fn into_text(self) -> String {
        self.text
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(text) => write!(f, "\"{}\"", text.replace('"', "\"\"")),
            Self::Keyword(word) => f.write_str(word),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Empty => Ok(()),
        }
    }
}

impl From<u64> for Field<'_> {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Field<'_> {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

/// An absent value is an empty field.
impl<'a, T: Into<Field<'a>>> From<Option<T>> for Field<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_for_each_row() {
        let mut file = Csv::new(&["name", "kind", "n", "x"]);
        file.row(&[
            Field::Name("the \"natural\" one, half"),
            Field::Keyword("simulated"),
            2.into(),
            1e9.into(),
        ]);
        file.row(&[Field::Name(""), Field::Keyword(""), 0.into(), Field::Empty]);
        assert_eq!(
            file.into_text(),
            "name,kind,n,x\n\
             \"the \"\"natural\"\" one, half\",simulated,2,1000000000\n\
             \"\",,0,\n"
        );
    }

    #[test]
    #[should_panic(expected = "a field for each column")]
    fn a_short_row_is_refused() {
        Csv::new(&["x", "y"]).row(&[Field::Empty]);
    }

    proptest! {
        /// Another reader gets back every name and every number, whatever they are.
        #[test]
        fn another_reader_understands(
            rows in prop::collection::vec((".*", any::<u64>(), any::<f64>()), 0..5)
        ) {
            let mut file = Csv::new(&["name", "count", "real"]);
            for (name, count, real) in &rows {
                file.row(&[Field::Name(name), (*count).into(), (*real).into()]);
            }
            let text = file.into_text();
            let mut reader = ::csv::Reader::from_reader(text.as_bytes());
            let read: Vec<_> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(read.len(), rows.len());
            for (read, (name, count, real)) in read.iter().zip(&rows) {
                prop_assert_eq!(&read[0], name.as_str());
                prop_assert_eq!(read[1].parse::<u64>().unwrap(), *count);
                let back: f64 = read[2].parse().unwrap();
                prop_assert!(back == *real || (back.is_nan() && real.is_nan()));
            }
        }
    }
}
