//! `cargo filch profile`: what it leaves behind, and what it says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Program, RAYON, eventually, one_line, stderr, stdout};

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

/// Without debug information.
#[test]
fn sites_without_lines_have_the_names_of_functions() {
    let program = Program::new("stripped", RAYON);
    let source = program.read("src/main.rs").replace(
        "let sum: u64 = (0..1000u64).into_par_iter().sum();",
        "let sum = summed();",
    );
    let summed = "#[inline(never)]\nfn summed() -> u64 {\n    \
                  (0..1000u64).into_par_iter().sum()\n}\n";
    program.write("src/main.rs", &format!("{source}{summed}"));
    let profiled = |strip: &str| {
        let out = format!("stripped-{strip}");
        let mut command = program.command(&["profile", "--out", &out, "--export", "folded"]);
        command
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_STRIP", strip);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let summary = stdout(&output);
        assert!(summary.contains("speed-up"), "{summary}");
        assert!(
            summary.contains("no lines are known: build with"),
            "{summary}"
        );
        let folded = files(&program.path().join(&out)).remove(".folded").unwrap();
        assert!(!folded.contains("main.rs:"), "{folded}");
        (summary, folded)
    };
    let (summary, folded) = profiled("none");
    assert!(folded.contains("summed"), "{folded}");
    assert!(!summary.contains("RELEASE_STRIP=none"), "{summary}");
    // Without symbols a closure's type is all that is known, whatever is known of the system's
    // own libraries.
    let (summary, folded) = profiled("symbols");
    assert!(summary.contains("RELEASE_STRIP=none"), "{summary}");
    for name in ["start_thread", "clone3", "libc_start"] {
        assert!(!summary.contains(name), "{summary}");
    }
    assert!(folded.contains("rayon"), "{folded}");
}

/// The recording of a program that is ended by a signal is shown up to there.
#[cfg(unix)]
#[test]
fn a_recording_that_was_cut_short_is_shown() {
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{Command, Stdio};

    let program = Program::new("cut-short", RAYON);
    let lock = program.read("Cargo.lock");
    let shown = |output: &std::process::Output| {
        let summary = stdout(output);
        assert!(summary.contains("speed-up"), "{summary}{}", stderr(output));
        assert!(summary.contains("the recording was cut short"), "{summary}");
        assert_eq!(program.read("Cargo.lock"), lock);
    };

    let output = program.filch(&["profile", "--out", "aborted", "--", "abort"]);
    assert_eq!(output.status.signal(), Some(6), "{}", stderr(&output));
    shown(&output);

    program.write("running", "");
    let mut command = program.command(&["profile", "--out", "out", "--", "wait", "running"]);
    command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    eventually("a section is written", || {
        let out = program.path().join("out");
        out.is_dir() && files(&out).values().any(|text| text.contains("main.rs"))
    });
    let status = Command::new("kill")
        .args(["-INT", "--", &format!("-{}", child.id())])
        .status();
    assert!(status.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(2), "{}", stderr(&output));
    shown(&output);
}

/// A member of a workspace, with a feature, and without the network.
#[test]
fn a_member_of_a_workspace_is_recorded_offline() {
    let program = Program::without_lock_file("members", RAYON);
    let name = program.name.clone();
    let root = "[workspace]\nresolver = \"3\"\nmembers = [\"with\", \"plain\"]\n";
    let with = program.read("Cargo.toml").replace("[workspace]\n", "");
    program.write("with/Cargo.toml", &with.replace("broken", "said"));
    let said = "#[cfg(not(feature = \"said\"))]\ncompile_error!(\"the feature is not on\");\n";
    program.write(
        "with/src/main.rs",
        &format!("{said}{}", program.read("src/main.rs")),
    );
    let plain = with.replace(RAYON, "").replace(&name, "filch-test-beside");
    program.write("plain/Cargo.toml", &plain);
    program.write("plain/src/main.rs", "fn main() {}");
    program.write("Cargo.toml", root);

    let fetched = program.filch(&["fetch"]);
    assert!(fetched.status.success(), "{}", stderr(&fetched));
    let words = "profile --offline --package NAME --features said --out out";
    let words: Vec<&str> = words
        .split(' ')
        .map(|word| if word == "NAME" { name.as_str() } else { word })
        .collect();
    let output = program.filch(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("speed-up"), "{}", stdout(&output));
    assert!(files(&program.path().join("out"))[".html"].contains("with/src/main.rs:"));
}

#[test]
fn a_run_without_rayon_records_nothing() {
    let program = Program::new("idle", RAYON);
    program.write("src/main.rs", "use rayon as _; fn main() {}");
    let output = program.filch(&["profile", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(one_line(&output).contains("did not use rayon"));
    program.write(
        "src/main.rs",
        "use rayon as _; fn main() { std::process::exit(3) }",
    );
    let output = program.filch(&["--quiet", "profile"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let output = program.filch(&["profile", "--export", "svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("use perfetto"));
}
