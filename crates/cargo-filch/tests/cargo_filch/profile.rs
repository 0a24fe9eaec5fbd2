//! `cargo filch profile`: what it leaves behind, and what it says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Program, RAYON, one_line, stderr, stdout};

/// The files in a folder by what follows the first full stop after their time.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap();
    let of = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let (_, end) = name.split_once('Z').unwrap();
        (end.to_owned(), text)
    };
    entries.map(|entry| of(&entry.unwrap().path())).collect()
}

#[test]
fn a_program_is_recorded_and_shown() {
    let program = Program::new("profiled", RAYON);
    let lock = program.read("Cargo.lock");
    let words = "profile --out out --export folded --export perfetto --export firefox -- exit 3";
    let words: Vec<&str> = words.split(' ').collect();
    let output = program.filch(&words);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("499500 exit 3\n"));
    assert!(stdout(&output).contains("speed-up"), "{}", stdout(&output));
    assert_eq!(program.read("Cargo.lock"), lock);

    let files = files(&program.path().join("out"));
    let ends: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        ends,
        [
            ".filch",
            ".firefox.json",
            ".folded",
            ".html",
            ".json",
            ".perfetto.json"
        ]
    );
    for end in [".folded", ".html", ".perfetto.json", ".firefox.json"] {
        assert!(files[end].contains("main.rs:"), "{end}: {}", files[end]);
    }
}

#[test]
fn a_run_without_rayon_records_nothing() {
    let program = Program::new("idle", RAYON);
    program.write("src/main.rs", "use rayon as _; fn main() {}");
    let output = program.filch(&["profile", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(one_line(&output).contains("did not use rayon"));
    let output = program.filch(&["profile", "--export", "svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("use perfetto"));
}
