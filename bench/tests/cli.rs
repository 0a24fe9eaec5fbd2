//! The program as its users call it.

use std::fs;
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
fn the_table_is_written_as_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let args = "--workload fib --fib 12 --rounds 1 --threads 1 --runtime filch --csv";
    let output = bench(&args.split(' ').chain([path]).collect::<Vec<_>>());
    assert!(output.status.success());
    let text = fs::read_to_string(folder.path().join("matrix.csv")).expect("a file");
    let lines: Vec<_> = text.lines().collect();
    let [header, serial, filch] = lines[..] else {
        panic!("{text}");
    };
    assert_eq!(
        header,
        "table,workload,what,threads,runtime,unit,minimum,median"
    );
    assert!(
        serial.starts_with("fork-join,fib,fib(12),1,serial,ms,"),
        "{text}"
    );
    assert!(
        filch.starts_with("fork-join,fib,fib(12),1,filch,× serial,"),
        "{text}"
    );
}

#[test]
fn unknown_names_are_refused_with_advice() {
    let output = bench(&["--workload", "nothing-like-it"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--list"));
}
