//! The report for people with a text editor.

use std::fmt::Write as _;

use super::Report;
use super::chapter::{Chapter, Claim, Table};

pub(super) fn page(report: &Report) -> String {
    let (holding, all) = report.count();
    let mut text = format!(
        "# What filch reproduced\n\n\
         {holding} of {all} claims hold. filch {}, seed {}; to get this page again:\n\n\
         ```sh\n{}\n```\n",
        report.version, report.seed, report.command,
    );
    for chapter in &report.chapters {
        write_chapter(&mut text, chapter);
    }
    text
}

fn write_chapter(text: &mut String, chapter: &Chapter) {
    let _ = write!(text, "\n## {}\n\n{}\n", chapter.title, chapter.text);
    if !chapter.claims.is_empty() {
        let columns = ["claim", "stated in", "checked on", "found", "holds"];
        write_rows(text, &columns, chapter.claims.iter().map(cells));
    }
    for Table {
        title,
        columns,
        rows,
    } in &chapter.tables
    {
        let _ = write!(text, "\n### {title}\n");
        write_rows(text, columns, rows.iter().cloned());
    }
}

fn cells(claim: &Claim) -> Vec<String> {
    let holds = if claim.holds { "yes" } else { "**no**" };
    vec![
        claim.claim.clone(),
        claim.stated.to_owned(),
        claim.checked.clone(),
        claim.found.clone(),
        holds.to_owned(),
    ]
}

fn write_rows(text: &mut String, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(text, "\n| {} |", columns.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(columns.len()));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Scale;

    #[test]
    fn a_page() {
        let claim = Claim {
            claim: "|x| is small".into(),
            stated: "nowhere",
            checked: "one x".into(),
            found: "large".into(),
            holds: false,
        };
        let table = Table {
            title: "Sizes".into(),
            columns: vec!["x", "size"],
            rows: vec![vec!["1".into(), "large".into()]],
        };
        let chapter = Chapter {
            id: "test",
            title: "A chapter",
            text: "Of few words.".into(),
            claims: vec![claim],
            tables: vec![table],
        };
        let report = Report {
            version: "0",
            scale: Scale::Quick,
            seed: 7,
            command: "filch reproduce --quick --seed 7".into(),
            chapters: vec![chapter],
        };
        assert_eq!(
            page(&report),
            "# What filch reproduced\n\n\
             0 of 1 claims hold. filch 0, seed 7; to get this page again:\n\n\
             ```sh\nfilch reproduce --quick --seed 7\n```\n\n\
             ## A chapter\n\nOf few words.\n\n\
             | claim | stated in | checked on | found | holds |\n\
             |---|---|---|---|---|\n\
             | \\|x\\| is small | nowhere | one x | large | **no** |\n\n\
             ### Sizes\n\n\
             | x | size |\n|---|---|\n| 1 | large |\n"
        );
    }
}
