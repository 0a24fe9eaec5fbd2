//! Standard output that is no terminal: a reader that leaves, and colours that stay away.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn filch(words: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.args(words.split(' ')).current_dir(folder);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

const SWEEP: &str = "
model = 'natural'
replications = 2

[grid]
processors = 4
lambda = [0.5]
steps = 50
";

/// One call of each command that prints, small enough for a test.
const CALLS: [&str; 30] = [
    "--help",
    "--version",
    "dispatch --help",
    "policies",
    "policies pi",
    "policies --json",
    "doctor",
    "doctor --json",
    "completions bash",
    "man dag run",
    "dispatch --servers a=2@1 --load 0.5 --slots 100 --policy random",
    "dispatch --servers a=2@1 --load 0.5 --slots 100 --policy random --json",
    "natural --processors 4 --lambda 0.5 --steps 100",
    "natural --processors 4 --lambda 0.5 --steps 100 --json",
    "rivals --processors 4 --lambda 0.5 --steps 100",
    "rivals --processors 4 --lambda 0.5 --steps 100 --json",
    "fleet --servers 4 --lambda 0.5",
    "limit natural --lambda 0.5",
    "limit stealing --lambda 0.5",
    "limit supermarket --lambda 0.5",
    "theory dag --work 100 --span 10 --processors 4",
    "theory natural --processors 4 --lambda 0.5",
    "dag measure --family fib:5",
    "dag run --family fib:5 --scheduler stealing --processors 2",
    "dag show --family figure1 --scheduler greedy --processors 2",
    // More than the buffer of a pipe holds.
    "dag export --family fib:16",
    "dag kernel --family fib:5 --processes 2",
    "sweep sweep.toml --out rows",
    "sweep sweep.toml --out rows --json",
    "proxy demo --seconds 1 --load 0.3 --policy jsq --json",
];

/// `filch … | head -1`.
#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sweep.toml"), SWEEP).unwrap();
    for words in CALLS {
        let mut child = filch(words, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), &*said), (Some(0), ""), "filch {words}");
    }
}

fn page(colours: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = filch(
        "natural --processors 4 --lambda 0.5 --steps 400",
        folder.path(),
    );
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(name);
    }
    let output = command.envs(colours.iter().copied()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let escape = '\u{1b}';
    assert!(!page(&[]).contains(escape));
    assert!(page(&[("CLICOLOR_FORCE", "1")]).contains(escape));
    assert!(!page(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains(escape));
}

/// Nothing is found where there is no PATH, and that is no failure.
#[test]
fn the_doctor_finds_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let examine = |path: &Path| -> serde_json::Value {
        let output = filch("doctor --json", folder.path())
            .env("PATH", path)
            .output()
            .unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let found = |examined: &serde_json::Value, name: &str| {
        let parts = examined["parts"].as_array().unwrap();
        let part = parts.iter().find(|part| part["name"] == name).unwrap();
        (part["found"].clone(), part["version"].clone())
    };
    let nothing = examine(folder.path());
    assert_eq!(found(&nothing, "nginx"), (false.into(), ().into()));
    assert_eq!(found(&nothing, "Python"), (false.into(), ().into()));

    #[cfg(unix)]
    {
        // A link, because a program that was written a moment ago may still be open elsewhere.
        std::os::unix::fs::symlink("/bin/echo", folder.path().join("python3")).unwrap();
        let (there, version) = found(&examine(folder.path()), "Python");
        assert_eq!(there, true);
        assert!(version.is_string());
    }
}

/// The commit, or why there is none; never a time.
#[test]
fn the_version_names_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let output = filch("--version", folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rest = text.strip_prefix(concat!("filch ", env!("CARGO_PKG_VERSION"), " ("));
    let told = rest.and_then(|rest| rest.strip_suffix(")\n")).unwrap();
    let commit = told.strip_prefix("commit ");
    assert!(
        ["development build", "built without git: commit unknown"].contains(&told)
            || commit.is_some_and(|commit| commit.len() <= 12 && !commit.contains(' ')),
        "{text}"
    );
}
