//! The pages on files name the fields and columns that are written, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use filch_experiments::sweep::Model;
use serde_json::Value;

fn page(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::read_to_string(docs.join(name)).unwrap()
}

/// The cells of a line of a Markdown table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    Some(row.split(" | ").map(str::trim).collect())
}

/// The names in back quotes.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Collects the path of every value, with its types.
fn collect(value: &Value, path: &str, found: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let kind = match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, &format!("{path}{dot}{name}"), found);
            }
            return;
        }
        Value::Array(values) => {
            for value in values {
                collect(value, &format!("{path}[]"), found);
            }
            return;
        }
        Value::String(_) => "text",
        Value::Number(_) => "number",
        Value::Bool(_) => "flag",
        Value::Null => "null",
    };
    found.entry(path.to_owned()).or_default().insert(kind);
}

#[test]
fn the_data_of_the_report() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(["reproduce", "--sketch", "--out", "out"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| fs::read_to_string(home.path().join("out").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let mut written = BTreeMap::new();
    collect(&report, "", &mut written);
    let page = page("data-formats.md");
    let (json, csv) = page.split_once("\n## CSV").unwrap();
    let mut documented: BTreeMap<String, BTreeSet<&str>> = json
        .lines()
        .filter_map(cells)
        .filter(|cells| cells.len() == 3 && cells[0].starts_with('`'))
        .map(|cells| {
            (
                cells[0].trim_matches('`').to_owned(),
                cells[1].split(" or ").collect(),
            )
        })
        .collect();
    // A report that is finished has none.
    assert!(documented.remove("missing[]").is_some());
    assert_eq!(documented, written);

    let head = |name: &str| read(name).lines().next().unwrap().to_owned();
    let plot = report["chapters"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|chapter| {
            let plots = chapter["plots"].as_array()?;
            Some(format!("{}.csv", plots.first()?["id"].as_str()?))
        });
    let tables: Vec<_> = csv
        .lines()
        .filter_map(cells)
        .filter(|cells| cells[0].ends_with(".csv`"))
        .collect();
    assert_eq!(tables.len(), 2);
    for (row, file) in tables.iter().zip(["claims.csv", &plot.unwrap()]) {
        assert_eq!(names(row[2]).join(","), head(file), "{file}");
    }
}

#[test]
fn the_columns_of_sweeps() {
    let page = page("sweeps.md");
    let rows: Vec<_> = page
        .lines()
        .filter_map(cells)
        .filter(|cells| cells.len() == 3)
        .collect();
    for model in Model::ALL {
        let name = format!("`{}`", model.name);
        let row = rows
            .iter()
            .find(|cells| cells[0] == name)
            .unwrap_or_else(|| panic!("{name}"));
        let parameters: Vec<_> = model.parameters.iter().map(|one| one.name).collect();
        let results: Vec<_> = model.results.iter().map(|one| one.name).collect();
        assert_eq!(
            (names(row[1]), names(row[2])),
            (parameters, results),
            "{name}"
        );
    }
}

#[test]
fn the_reference() {
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .arg("reference")
        .output()
        .unwrap();
    assert!(output.status.success());
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(
        page("reference.md") == found,
        "the help has changed: cargo run -- reference > docs/reference.md"
    );
}
