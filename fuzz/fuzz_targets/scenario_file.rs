//! Scenario files of `filch dispatch`: reading never panics, and a refusal is one line.

#![no_main]

use std::fs;

use filch_cli::asked::AskedDispatch;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a folder for the file");
}

fuzz_target!(|text: &str| {
    let file = FOLDER.with(|folder| folder.path().join("scenario.toml"));
    fs::write(&file, text).expect("the file is written");
    let words = ["dispatch".to_owned(), file.display().to_string()];
    if let Err(refused) = AskedDispatch::read(&words) {
        let sentence = refused.sentence().expect("a refusal says why");
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
    }
});
