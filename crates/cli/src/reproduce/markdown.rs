//! The report for people with a text editor.

use std::fmt::Write as _;

use super::Report;
use super::chapter::{Cell, Chapter, Claim, Plot, Table};

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
        let rows = rows.iter().map(|row| row.iter().map(shown).collect());
        write_rows(text, columns, rows);
    }
    for Plot { id, title, .. } in &chapter.plots {
        let _ = write!(text, "\n### {title}\n\nThe data: [{id}.csv]({id}.csv)\n");
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

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => real(*number),
    }
}

/// Four digits that mean something, without zeros that do not.
fn real(number: f64) -> String {
    let size = number.abs();
    if !(1e-3..1e6).contains(&size) && size != 0.0 {
        return format!("{number:.3e}");
    }
    let whole_digits = (size.max(1.0).log10() as usize) + 1;
    let text = format!("{number:.*}", 4usize.saturating_sub(whole_digits));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
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
            measured: Some(1e9),
            bound: None,
            holds: false,
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
        assert!(chapter["claims"][0].get("bound").is_none());
    }

    #[test]
    fn reals_are_readable() {
        for (number, text) in [
            (0.0, "0"),
            (0.95, "0.95"),
            (1.0, "1"),
            (0.123456, "0.123"),
            (0.0012, "0.001"),
            (12.3456, "12.35"),
            (1234.56, "1235"),
            (100.0, "100"),
            (999_999.0, "999999"),
            (2.5e-7, "2.500e-7"),
            (-0.5, "-0.5"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(real(number), text);
        }
    }
}
