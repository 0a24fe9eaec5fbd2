//! What filch found, for people to look at: values in, files out.
//!
//! A [`Report`] is plain values: chapters with claims, tables and plots, and recorded schedules.
//! [`files`] turns it into one HTML page that needs nothing else, the same as Markdown and JSON, a
//! CSV file of all claims, and one for each plot. Nothing is computed here: no result, no verdict,
//! no estimate.
//!
//! [`sweep`] writes the rows of a sweep as Parquet and CSV, [`profile`] a recorded program as a
//! page and for the viewers of others.
//!
//! Whatever prints results elsewhere in the workspace uses the same writers: [`text_table`] for the
//! terminal, [`markdown_table`], [`csv`], [`number`] for the digits, [`escape`] for HTML and SVG.
//!
//! ```
//! use filch_report::{Chapter, Report};
//!
//! let report = Report {
//!     version: "0.1.0",
//!     scale: "quick",
//!     seed: 1,
//!     command: "filch reproduce --quick --seed 1".to_owned(),
//!     missing: Vec::new(),
//!     chapters: vec![Chapter {
//!         id: "example",
//!         title: "An example",
//!         text: "One chapter, and nothing in it.".to_owned(),
//!         measured: false,
//!         claims: Vec::new(),
//!         tables: Vec::new(),
//!         plots: Vec::new(),
//!     }],
//!     schedules: Vec::new(),
//! };
//! let names: Vec<String> = filch_report::files(&report).into_iter().map(|file| file.0).collect();
//! assert_eq!(names, ["report.html", "report.md", "report.json", "claims.csv"]);
//! ```

mod cell;
mod claims_csv;
pub mod csv;
pub mod escape;
mod html;
mod markdown;
pub mod markdown_table;
pub mod number;
mod plot_csv;
pub mod profile;
mod svg;
pub mod sweep;
pub mod text_table;

use filch_experiments::values;

pub use filch_experiments::values::{
    Axis, Cell, Chapter, Claim, Origin, Outcome, Plot, Point, Report, Schedule, Series, Table,
};

/// The page that a browser shows.
pub const PAGE: &str = "report.html";

/// All files of a report, name and content: [`PAGE`], `report.md`, `report.json`, `claims.csv`, and
/// `ID.csv` for each plot. The same values give the same bytes.
pub fn files(report: &Report) -> Vec<(String, String)> {
    let mut files = vec![
        (PAGE.to_owned(), html::page(report)),
        ("report.md".to_owned(), markdown::page(report)),
        ("report.json".to_owned(), json(report)),
        (claims_csv::FILE.to_owned(), claims_csv::text(report)),
    ];
    files.extend(report.plots().map(plot_csv::file));
    files
}

/// The report for programs: numbers are numbers, and what is not there is left out.
pub fn json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("our values are plain data");
    text.push('\n');
    text
}
