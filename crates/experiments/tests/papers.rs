//! `docs/papers.md` says where each item of the papers stands: what it points to must exist, and
//! its verdict must be that of the full run, whose claims are in `docs/data/full-claims.csv`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The items of each paper, at least so many.
const ITEMS: [(&str, usize); 5] = [
    ("BL", 60),
    ("ABP", 40),
    ("BFG01", 35),
    ("BFG03", 70),
    ("PI", 100),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of each row of a table of items: item, what it says, code, test, verdict.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let is_row = |line: &&str| {
        ITEMS.iter().any(|(paper, _)| {
            let rest = line.strip_prefix("| ");
            let rest = rest.and_then(|rest| rest.strip_prefix(paper)?.strip_prefix(' '));
            rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })
    };
    let rows = page.lines().filter(is_row);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// The addresses of all links in a cell.
fn links(cell: &str) -> impl Iterator<Item = &str> {
    cell.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(address, _)| address))
}

#[test]
fn every_row_is_complete_and_points_to_what_there_is() {
    let page = fs::read_to_string(root().join("docs/papers.md")).expect("the page");
    let rows = rows(&page);
    let mut items = HashSet::new();
    let mut problems = Vec::new();
    for row in &rows {
        let [item, says, code, test, verdict] = row[..] else {
            problems.push(format!("{row:?} has not five cells"));
            continue;
        };
        if !items.insert(item) {
            problems.push(format!("{item} stands twice"));
        }
        if says.is_empty() || verdict.is_empty() {
            problems.push(format!("{item} says nothing"));
        }
        // What is claimed to hold or to be exact is tested by something.
        let tested = links(test).count() > 0;
        let claims = ["holds", "exact", "does not hold", "undecided", "corrected"];
        if claims.iter().any(|claim| verdict.starts_with(claim)) && !tested {
            problems.push(format!("{item} is judged by nothing"));
        }
        for address in links(code).chain(links(test)) {
            let (path, name) = address.split_once('#').unwrap_or((address, ""));
            let file = root().join("docs").join(path);
            let found = if name.is_empty() {
                file.exists()
            } else {
                fs::read_to_string(&file).is_ok_and(|text| text.contains(name))
            };
            if !found {
                problems.push(format!("{item}: {address}"));
            }
        }
    }
    assert_eq!(problems, Vec::<String>::new());
    for (paper, least) in ITEMS {
        let count = rows.iter().filter(|row| {
            let item = row[0].strip_prefix(paper);
            item.is_some_and(|rest| rest.trim().bytes().all(|byte| byte.is_ascii_digit()))
        });
        assert!(count.count() >= least, "{paper}");
    }
}

/// The test above finds what is wrong: links are read, and rows are told from headings.
#[test]
fn rows_and_links_are_read() {
    let page = "| item | what | a | b | c |\n|---|---|---|---|---|\n\
                | PI 7 | **x.** y | [a](../b.rs#c), [d](../e/) | – | holds |\n| PIE | no row |\n";
    let rows = rows(page);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][0], "PI 7");
    let found: Vec<&str> = links(rows[0][2]).collect();
    assert_eq!(found, ["../b.rs#c", "../e/"]);
}

/// The claims of the full run, as `filch reproduce --full --seed 1` writes them.
const CLAIMS: &str = "data/full-claims.csv";

/// The outcome of the claim in a line of the file: what follows the fields in quotes.
fn outcome(line: &str) -> &str {
    let after = line.rsplit_once('"').map_or(line, |(_, after)| after);
    after
        .trim_start_matches(',')
        .split(',')
        .next()
        .unwrap_or("")
}

/// The outcome of several claims together: one that fails decides, then one that is undecided.
fn together<'a>(outcomes: &[&'a str]) -> &'a str {
    let worst = ["does not hold", "undecided"];
    let found = worst.into_iter().find_map(|bad| {
        let bad = outcomes.iter().find(|outcome| **outcome == bad);
        bad.copied()
    });
    found.unwrap_or("holds")
}

/// A verdict that quotes lines of the full run begins with what they come to; every claim of that
/// run about a paper is quoted.
#[test]
fn verdicts_are_those_of_the_full_run() {
    let page = fs::read_to_string(root().join("docs/papers.md")).expect("the page");
    let file = fs::read_to_string(root().join("docs").join(CLAIMS)).expect("the claims");
    let lines: Vec<&str> = file.lines().collect();
    let mut quoted = HashSet::new();
    let mut problems = Vec::new();
    for row in rows(&page) {
        let [item, .., verdict] = row[..] else {
            continue;
        };
        let mut outcomes = Vec::new();
        let quotes = links(verdict).filter_map(|address| address.strip_prefix(CLAIMS));
        for address in quotes {
            let number = address.strip_prefix("#L");
            let number = number.and_then(|number| number.parse::<usize>().ok());
            match number.and_then(|number| lines.get(number.checked_sub(1)?)) {
                Some(line) => {
                    quoted.insert(*line);
                    outcomes.push(outcome(line));
                }
                None => problems.push(format!("{item}: {address}")),
            }
        }
        let says = ["holds", "does not hold", "undecided"];
        let says = says
            .into_iter()
            .find(|outcome| verdict.starts_with(outcome));
        if !outcomes.is_empty() && says.unwrap_or("holds") != together(&outcomes) {
            problems.push(format!("{item}: {verdict}, but the run says {outcomes:?}"));
        }
    }
    let about_papers = lines[1..].iter().filter(|line| {
        let stated = line.split("\",\"").nth(1).unwrap_or("");
        ["BL99", "ABP01", "BFG", "PI"]
            .iter()
            .any(|paper| stated.starts_with(paper))
    });
    let mut claims = 0;
    for line in about_papers {
        claims += 1;
        if !quoted.contains(line) {
            problems.push(format!("no row quotes {line}"));
        }
    }
    assert_eq!(problems, Vec::<String>::new());
    assert!(claims >= 120, "{claims} claims");
}

/// The test above reads outcomes after fields with commas and quotes, and a failure outweighs.
#[test]
fn outcomes_are_read() {
    let line = "\"farm\",\"PI\",\"a, \"\"b\"\"\",\"c\",\"d\",does not hold,1.5,";
    assert_eq!(outcome(line), "does not hold");
    assert_eq!(outcome("\"x\",\"y\",holds,,2"), "holds");
    assert_eq!(together(&["holds", "undecided"]), "undecided");
    assert_eq!(together(&["undecided", "does not hold"]), "does not hold");
    assert_eq!(together(&["holds"]), "holds");
}
