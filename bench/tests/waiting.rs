//! The program `waiting`, with few items and workers: what it prints, not how fast anything is.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

fn waiting(args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_waiting"))
        .args(args.split_whitespace())
        .output()
        .expect("the program starts")
}

#[test]
fn every_row_has_its_time_its_stacks_and_its_verdicts() {
    let output = waiting("--workers 2 --items 2 --rounds 1");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| program"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let (times, stacks): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|cells| !cells[0].starts_with("stack-"));
    let verdict = |cell: &str| ["met", "not met"].contains(&cell);
    assert_eq!(times.len(), 13, "{text}");
    for cells in &times {
        assert_eq!((cells.len(), cells[1]), (9, "2"), "{cells:?}");
        assert!(verdict(cells[8]), "{cells:?}");
    }
    assert_eq!(stacks.len(), 2 * 6, "a row for each runtime: {text}");
    for cells in &stacks {
        assert_eq!((cells.len(), cells[2]), (11, "2"), "{cells:?}");
        assert!(verdict(cells[7]) && verdict(cells[10]), "{cells:?}");
    }
}

/// Sleeps end late and never early, so no run is shorter than a leaf; and S1 holds the frames that
/// the program puts on its stack.
#[test]
fn json_holds_samples_and_bytes() {
    let args = "--workers 2 --items 2 --rounds 3 --row list --row stack-uneven-joins --json";
    let output = waiting(args);
    assert!(output.status.success());
    let results: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let time = &results["times"][0];
    assert_eq!(time["asked_ms"], 10.0, "four leaves of 5 ms on two workers");
    for runtime in ["filch", "rayon"] {
        let samples = |of: &str| -> Vec<f64> {
            let samples = time[runtime][of]["samples"].as_array().expect("samples");
            samples.iter().filter_map(Value::as_f64).collect()
        };
        let (nanoseconds, sleeps) = (samples("nanoseconds"), samples("sleeps"));
        assert_eq!((nanoseconds.len(), samples("over_ideal").len()), (3, 3));
        assert!(nanoseconds.iter().all(|&ns| ns >= 5e6), "{time}");
        assert!(sleeps.iter().all(|&over| over >= 1.0), "{time}");
    }
    let stacks = results["stacks"].as_array().expect("rows");
    let names: Vec<_> = stacks.iter().map(|row| row["runtime"].as_str()).collect();
    assert_eq!(names, [Some("filch"), Some("rayon")]);
    for row in stacks {
        let bytes = |field: &str| row[field].as_u64().expect("bytes");
        assert!(bytes("serial") > 64 << 10, "{row}");
        assert!(bytes("deepest") <= bytes("live"), "{row}");
        // Two workers, and under filch up to three spare threads for each.
        let most = if row["runtime"] == "filch" { 8 } else { 2 };
        assert!((1..=most).contains(&bytes("threads")), "{row}");
    }
}

#[test]
fn tables_are_written_as_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display();
    let args = "--workers 2 --items 1 --rounds 1 --row list --row stack-tree";
    let output = waiting(&format!("{args} --csv {path}"));
    assert!(output.status.success());
    for (name, header, rows) in [
        (
            "waiting-times.csv",
            "program,workers,asked_ms,filch_minimum,",
            1,
        ),
        (
            "waiting-stacks.csv",
            "program,workers,runtime,threads,serial,",
            2,
        ),
    ] {
        let text = fs::read_to_string(folder.path().join(name)).expect("a file");
        assert!(text.starts_with(header), "{text}");
        assert_eq!(text.lines().count(), 1 + rows, "{text}");
    }
}

#[test]
fn mistakes_are_explained_in_a_line() {
    for (args, advice) in [
        ("--row nothing-like-it", "--list"),
        ("--workers 0", "--workers takes numbers from 1"),
        ("--rounds 0", "--rounds and --items take a number from 1"),
        ("--csv /no/such/folder", "make it first"),
    ] {
        let output = waiting(args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(advice) && said.lines().count() == 1, "{said}");
    }
}
