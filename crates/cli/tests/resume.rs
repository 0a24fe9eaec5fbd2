//! `filch reproduce --resume`: going on where an earlier run stopped.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn reproduce(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(["reproduce", "--sketch", "--out"])
        .arg(folder)
        .args(arguments)
        .output()
        .expect("the program runs")
}

#[track_caller]
fn refused(output: &Output, words: &str) {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(words), "{error}");
}

/// One whole run, then a run that lacks the last chapter; files of another seed, scale or build and
/// files that are cut off are refused.
#[test]
fn finished_chapters_are_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let whole = reproduce(path, &[]);
    assert!(whole.status.success(), "{whole:?}");
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    let (report, finished) = (read("report.json"), read("finished.json"));

    // Nothing is left to do, and every byte stays.
    let again = reproduce(path, &["--resume"]);
    assert!(again.status.success(), "{again:?}");
    assert_eq!(
        (report.clone(), finished.clone()),
        (read("report.json"), read("finished.json"))
    );
    assert!(
        again.stderr.is_empty(),
        "no chapter is announced: {again:?}"
    );

    // Without its last chapter, which is measured: the others are taken as they are.
    let mut value: Value = serde_json::from_str(&finished).unwrap();
    let all = value["chapters"].as_array().unwrap().len();
    value["chapters"].as_array_mut().unwrap().pop();
    fs::write(path.join("finished.json"), value.to_string()).unwrap();
    let rest = reproduce(path, &["--resume"]);
    let announced = String::from_utf8_lossy(&rest.stderr).into_owned();
    let lines: Vec<&str> = announced.lines().collect();
    let goes_on = format!("goes on after {} of {all} chapters", all - 1);
    assert_eq!(lines.len(), 2, "{announced}");
    assert!(lines[0].starts_with(&goes_on), "{announced}");
    assert!(
        lines[1].starts_with(&format!("{all}/{all} ")),
        "{announced}"
    );
    let chapters = |report: &str| {
        let value: Value = serde_json::from_str(report).unwrap();
        let mut chapters = value["chapters"].as_array().unwrap().clone();
        assert_eq!(chapters.len(), all);
        chapters.pop();
        chapters
    };
    assert_eq!(chapters(&read("report.json")), chapters(&report));

    refused(
        &reproduce(path, &["--resume", "--seed", "2"]),
        "is of seed 1, and this run of 2",
    );
    value["build"] = 1.into();
    fs::write(path.join("finished.json"), value.to_string()).unwrap();
    refused(&reproduce(path, &["--resume"]), "is of build 1");
    fs::write(path.join("finished.json"), &finished[..finished.len() / 2]).unwrap();
    refused(
        &reproduce(path, &["--resume"]),
        "is not what a run has left",
    );
}
