//! `filch sweep` and `filch merge`: stopped, continued, cut and damaged sweeps give the same bytes,
//! or are refused.

mod merging;
mod numbers;
mod refusals;
mod same_bytes;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Twelve points of two replications each, which take milliseconds.
const SMALL: &str = r#"model = "natural"
replications = 2
seed = 5

[grid]
processors = [8, 16, 32]
lambda = [0.4, 0.6]
steal = ["half", "one"]
steps = 300
"#;

/// 240 rows of some milliseconds: time enough to be killed.
const LONG: &str = r#"model = "natural"
replications = 40

[grid]
processors = [200, 400]
lambda = { from = 0.5, to = 0.9, step = 0.2 }
steps = 5_000
"#;

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.current_dir(home).args(arguments);
    command
}

fn filch(home: &Path, arguments: &[&str]) -> Output {
    command(home, arguments).output().expect("the program runs")
}

#[track_caller]
fn summary(home: &Path, arguments: &[&str]) -> Value {
    let output = filch(home, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[track_caller]
fn refused(home: &Path, arguments: &[&str]) -> Vec<String> {
    let output = filch(home, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty());
    error.lines().map(str::to_owned).collect()
}

/// The bytes of the results.
#[track_caller]
fn results(folder: &Path) -> [Vec<u8>; 3] {
    ["rows.parquet", "rows.csv", "manifest.json"]
        .map(|name| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn home(sweep: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("sweep.toml"), sweep).unwrap();
    home
}
