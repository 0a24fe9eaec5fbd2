//! Files of recorded batches: reading never panics, and what was read comes out in order.

#![no_main]

use std::fs;

use filch_random::Seed;
use filch_workload::{Arrivals, streams};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a folder for the file");
}

fuzz_target!(|bytes: &[u8]| {
    let file = FOLDER.with(|folder| folder.path().join("trace"));
    fs::write(&file, bytes).expect("the file is written");
    let name = format!("trace:{}", file.display());
    let arrivals: Arrivals = name.parse().expect("any path is a name");
    let Ok(mut process) = arrivals.start() else {
        return;
    };
    let mut rng = Seed::new(1).stream(streams::ARRIVALS, 0, 0);
    let first = process.next_batch(&mut rng);
    let text = String::from_utf8_lossy(bytes);
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    assert_eq!(line.and_then(|line| line.parse().ok()), Some(first));
});
