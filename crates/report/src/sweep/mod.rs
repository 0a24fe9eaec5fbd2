//! The rows of a sweep as files: Parquet and CSV. The same table gives the same bytes.

mod parquet;
mod rows_csv;

use filch_experiments::sweep::{Table, TableColumn};

/// The table as a Parquet file.
///
/// Every column is optional. Whole numbers are `INT64` with the logical type of 64 bits without a
/// sign, real numbers `DOUBLE`, flags `BOOLEAN`, texts `BYTE_ARRAY` with the logical type string. A
/// file names its writer as `filch` with `version`, and holds the plan in its canonical form
/// (`filch.plan`) and the version (`filch.version`) in its key-value metadata. It has no time.
pub fn parquet(table: &Table<'_>, columns: &[TableColumn], version: &str) -> Vec<u8> {
    parquet::file(table, columns, version)
}

/// The rows from `rows.start` on, up to `rows.end`, as lines of a CSV file, in the form of
/// [`csv`](crate::csv): names in quotes, a field without a value is empty. The line of column names
/// stands before row 0.
pub fn csv(columns: &[TableColumn], rows: std::ops::Range<usize>) -> String {
    rows_csv::lines(columns, rows)
}

#[cfg(test)]
mod tests;
