//! The report as Markdown.

use std::fmt::Write as _;

use crate::cell::shown;
use crate::markdown_table::{self, Align};
use crate::values::{Chapter, Claim, Outcome, Plot, Report, Table};

pub(crate) fn page(report: &Report) -> String {
    let count = report.count();
    let mut text = format!(
        "# What filch reproduced\n\n\
         {count}. filch {}, seed {}; to get this page again:\n\n\
         ```sh\n{}\n```\n",
        report.version, report.seed, report.command,
    );
    if !report.missing.is_empty() {
        let _ = write!(text, "\nNot done: {}.\n", report.missing.join("; "));
    }
    for chapter in &report.chapters {
        write_chapter(&mut text, chapter);
    }
    text
}

fn write_chapter(text: &mut String, chapter: &Chapter) {
    let _ = write!(text, "\n## {}\n\n{}\n", chapter.title, chapter.text);
    if !chapter.claims.is_empty() {
        let columns = ["claim", "stated in", "checked on", "found", "verdict"];
        write_rows(text, &columns, chapter.claims.iter().map(cells));
    }
    for Table {
        title,
        columns,
        rows,
    } in &chapter.tables
    {
        let _ = write!(text, "\n### {title}\n");
        let rows = rows.iter().map(|row| row.iter().map(shown).collect());
        write_rows(text, columns, rows);
    }
    for plot in &chapter.plots {
        let Plot {
            id, title, command, ..
        } = plot;
        let _ = write!(
            text,
            "\n### {title}\n\nThe data: [{id}.csv]({id}.csv), from `{command}`\n"
        );
    }
}

fn cells(claim: &Claim) -> Vec<String> {
    let verdict = match claim.outcome {
        Outcome::Holds => claim.outcome.name().to_owned(),
        Outcome::DoesNotHold | Outcome::Undecided => format!("**{}**", claim.outcome.name()),
    };
    vec![
        claim.claim.clone(),
        claim.stated.to_owned(),
        claim.checked.clone(),
        claim.found.clone(),
        verdict,
    ]
}

fn write_rows(text: &mut String, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let columns: Vec<_> = columns.iter().map(|title| (title, Align::Left)).collect();
    text.push('\n');
    text.push_str(&markdown_table::head(&columns));
    text.extend(rows.map(markdown_table::row));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page() {
        let claim = Claim {
            claim: "|x| is small".into(),
            stated: "nowhere",
            checked: "one x".into(),
            found: "large".into(),
            measured: Some(1e9),
            bound: None,
            outcome: Outcome::DoesNotHold,
        };
        let table = Table {
            title: "Sizes".into(),
            columns: vec!["x", "size", "exactly"],
            rows: vec![vec![1.into(), "large".to_owned().into(), 1e9.into()]],
        };
        let chapter = Chapter {
            id: "test",
            title: "A chapter",
            text: "Of few words.".into(),
            measured: false,
            claims: vec![claim],
            tables: vec![table],
            plots: Vec::new(),
        };
        let report = Report {
            version: "0",
            scale: "quick",
            seed: 7,
            command: "filch reproduce --quick --seed 7".into(),
            missing: vec!["Another"],
            chapters: vec![chapter],
            schedules: Vec::new(),
        };
        assert_eq!(
            page(&report),
            "# What filch reproduced\n\n\
             0 of 1 claims hold, 1 does not. filch 0, seed 7; to get this page again:\n\n\
             ```sh\nfilch reproduce --quick --seed 7\n```\n\n\
             Not done: Another.\n\n\
             ## A chapter\n\nOf few words.\n\n\
             | claim | stated in | checked on | found | verdict |\n\
             |---|---|---|---|---|\n\
             | \\|x\\| is small | nowhere | one x | large | **does not hold** |\n\n\
             ### Sizes\n\n\
             | x | size | exactly |\n|---|---|---|\n| 1 | large | 1.000e9 |\n"
        );
        // Numbers are numbers to programs, and a claim without a bound has none.
        let json = serde_json::to_value(&report).unwrap();
        let chapter = &json["chapters"][0];
        assert_eq!(
            chapter["tables"][0]["rows"][0],
            serde_json::json!([1, "large", 1e9])
        );
        assert_eq!(chapter["claims"][0]["measured"], 1e9);
        assert_eq!(chapter["claims"][0]["outcome"], "does-not-hold");
        assert!(chapter["claims"][0].get("bound").is_none());
    }
}
