//! `filch doctor`: which optional parts this machine has, and what each of them is for.
//!
//! filch itself needs none of them, so a missing part is no failure.

mod finding;
mod parts;
mod probe;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use filch_report::text_table::{TextCell, TextTable};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::output::{self, count, printable};
use finding::Finding;

pub(crate) fn run(options: &DoctorArgs) -> Result<(), Failure> {
    let examined = Examined {
        version: env!("FILCH_VERSION"),
        parts: parts::PARTS.iter().map(Finding::of).collect(),
    };
    if options.json {
        output::print_json(&examined)
    } else {
        output::print_page(&examined.page())
    }
}

/// What was found.
#[derive(Serialize)]
struct Examined {
    version: &'static str,
    parts: Vec<Finding>,
}

impl Examined {
    fn page(&self) -> String {
        let mut page = format!("filch {}\n\n", self.version);
        let mut table = TextTable::untitled(4);
        for part in &self.parts {
            let version = part.version.as_deref().unwrap_or("");
            table.row([
                mark(part.found),
                part.name.into(),
                part.purpose.into(),
                printable(version).into(),
            ]);
        }
        let _ = write!(page, "{table}");
        let missing: Vec<_> = self.parts.iter().filter(|part| !part.found).collect();
        if missing.is_empty() {
            page.push_str("\nAll optional parts are here.\n");
            return page;
        }
        let parts = count(missing.len() as u64, "optional part");
        let _ = writeln!(page, "\n{parts} not found. To get:\n");
        let mut table = TextTable::untitled(2);
        for part in missing {
            table.row([format!("  {}", part.name), part.remedy.to_owned()]);
        }
        let _ = write!(page, "{table}");
        page
    }
}

/// Whether a part is there, in its colour.
fn mark(found: bool) -> TextCell {
    let (word, colour) = if found {
        ("found", AnsiColor::Green)
    } else {
        ("–", AnsiColor::Yellow)
    };
    TextCell::styled(word, Style::new().fg_color(Some(colour.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(found: bool) -> Finding {
        Finding {
            name: "make",
            found,
            version: found.then(|| "make version\u{1b} 3".to_owned()),
            purpose: "builds things",
            remedy: "apt install make",
        }
    }

    fn page(found: bool) -> String {
        Examined {
            version: "0",
            parts: vec![finding(found)],
        }
        .page()
    }

    #[test]
    fn a_missing_part_has_a_remedy_and_one_that_is_there_a_version() {
        assert!(page(false).contains("1 optional part not found"));
        assert!(page(false).contains("make  apt install make"));
        assert!(!page(true).contains("apt install"));
    }

    #[test]
    fn what_a_program_says_of_itself_cannot_drive_the_terminal() {
        assert!(page(true).contains(r"make version\u{1b} 3"));
    }
}
