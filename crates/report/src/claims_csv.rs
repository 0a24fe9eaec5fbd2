//! The claims of a report as a CSV file.

use crate::csv::{Csv, Field};
use crate::values::Report;

/// The name of the file.
pub(crate) const FILE: &str = "claims.csv";

/// One line for each claim, in the order of the report.
pub(crate) fn text(report: &Report) -> String {
    let mut file = Csv::new(&[
        "chapter", "stated", "claim", "checked", "found", "outcome", "measured", "bound",
    ]);
    for chapter in &report.chapters {
        for claim in &chapter.claims {
            file.row(&[
                Field::Name(chapter.id),
                Field::Name(claim.stated),
                Field::Name(&claim.claim),
                Field::Name(&claim.checked),
                Field::Name(&claim.found),
                Field::Keyword(claim.outcome.name()),
                claim.measured.into(),
                claim.bound.into(),
            ]);
        }
    }
    file.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Chapter, Claim, Outcome};

    #[test]
    fn a_line_for_each_claim() {
        let claim = |outcome, measured| Claim {
            claim: "no \"queue\", ever".into(),
            stated: "section 1",
            checked: "once".into(),
            found: "so".into(),
            measured,
            bound: None,
            outcome,
        };
        let report = Report {
            version: "0",
            scale: "quick",
            seed: 1,
            command: String::new(),
            missing: Vec::new(),
            chapters: vec![Chapter {
                id: "farm",
                title: "The farm",
                text: String::new(),
                measured: false,
                claims: vec![
                    claim(Outcome::DoesNotHold, Some(1.5)),
                    claim(Outcome::Undecided, None),
                ],
                tables: Vec::new(),
                plots: Vec::new(),
            }],
            schedules: Vec::new(),
        };
        let line = "\"farm\",\"section 1\",\"no \"\"queue\"\", ever\",\"once\",\"so\"";
        assert_eq!(
            text(&report),
            format!(
                "chapter,stated,claim,checked,found,outcome,measured,bound\n\
                 {line},does not hold,1.5,\n{line},undecided,,\n"
            )
        );
    }
}
