//! The program as its users call it.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_filch-bench"))
        .args(args)
        .output()
        .expect("the program starts")
}

#[test]
fn json_holds_every_runtime_that_joins() {
    let output = bench(&[
        "--workload",
        "fib",
        "--fib",
        "12",
        "--rounds",
        "3",
        "--json",
    ]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "one row for each number of threads");
    for row in rows {
        let cells = row["cells"].as_array().expect("cells");
        let names: Vec<_> = cells
            .iter()
            .filter_map(|cell| cell["runtime"].as_str())
            .collect();
        assert!(
            names.starts_with(&["serial"]) && names.contains(&"rayon"),
            "{names:?}"
        );
        assert!(
            cells
                .iter()
                .all(|cell| cell["samples"].as_array().map(Vec::len) == Some(3))
        );
    }
    assert!(
        report["versions"]["chili"]
            .as_str()
            .is_some_and(|version| version.contains('.'))
    );
}

#[test]
fn tables_compare_with_serial() {
    let args = [
        "--workload",
        "fib",
        "--fib",
        "12",
        "--rounds",
        "1",
        "--runtime",
        "chili",
    ];
    let output = bench(&args);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("| serial | chili |"), "{text}");
    assert!(!text.contains("rayon"), "{text}");
}

#[test]
fn unknown_names_are_refused_with_advice() {
    let output = bench(&["--workload", "nothing-like-it"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--list"));
}
