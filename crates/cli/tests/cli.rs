//! The program as a user meets it: what is typed, what comes back on which stream, the exit code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn filch(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.output().expect("filch runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("filch writes UTF-8")
}

/// Runs filch in an empty folder.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = filch(args, home.path());
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[track_caller]
fn refused(args: &[&str], code: i32) -> String {
    let (status, stdout, stderr) = run(args);
    assert_eq!(status, Some(code), "{stderr}");
    assert_eq!(stdout, "", "nothing on standard output");
    assert_eq!(stderr.lines().count(), 1, "one line: {stderr}");
    stderr
}

#[test]
fn bad_arguments_end_with_2() {
    for (args, words) in [
        (&[][..], "filch: no command: start with 'filch reproduce'"),
        (
            &["reproduce", "--seed", "x"],
            "filch: --seed: 'x' is not a whole number",
        ),
        (&["policies", "jqs"], "filch: unknown name 'jqs'"),
        (&["policies", "bernoulli:1.5"], "must be between 0 and 1"),
        (
            &["policies", "jsq:two"],
            "D is 'two', use a whole number from 1",
        ),
        (
            &["man", "nothing"],
            "filch: man: there is no command 'nothing'",
        ),
        (
            &["natural", "--processors", "0", "--lambda", "0.5"],
            "--processors: '0' is not a whole number from 1",
        ),
        (
            &["natural", "--processors", "9", "--lambda", "1.5"],
            "--lambda: 1.5: a probability is between 0 and 1",
        ),
        (
            &[
                "natural",
                "--processors",
                "9",
                "--lambda",
                "0.5",
                "--steps",
                "5",
                "--warmup",
                "5",
            ],
            "--steps 5 leaves nothing after --warmup 5",
        ),
        (
            &[
                "theory",
                "natural",
                "--processors",
                "9",
                "--lambda",
                "0.5",
                "--steal",
                "most",
            ],
            "--steal: unknown steal function 'most'",
        ),
        // What a user types may hold line breaks; the message is still one line.
        (&["policies", "idle(x\ny)"], r"'x\ny'"),
        (&["policies", "jsq:1\n2"], r"D is '1\n2'"),
        (&["policies", "a\nb"], r"unknown name 'a\nb'"),
        (&["reproduce", "--seed", "1\nx"], r"--seed: '1\nx'"),
        (&["man", "a\nb"], r"no command 'a\nb'"),
        (&["a\nb"], "unrecognized subcommand"),
        (&["completions", "a\n\nb"], r"'a\n\nb' is none of bash"),
        (
            &["man", "dag", "rnu"],
            "no command 'rnu': use one of measure, run",
        ),
        (
            &["man", "dag", "run", "x"],
            "'filch dag run' has no command 'x'",
        ),
        (
            &["policies", "jsq2"],
            "unknown name 'jsq2': did you mean 'jsq' or 'jsq:D'?",
        ),
        (&["reproduce", "--a\u{7}\nb"], "unexpected argument"),
    ] {
        let line = refused(args, 2);
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn an_unwritable_folder_ends_with_1() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), "mine").unwrap();
    for out in ["file", "file/below", "file/a\nb"] {
        let output = filch(&["reproduce", "--out", out], home.path());
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(text(&output.stdout), "");
        let stderr = text(&output.stderr);
        assert!(stderr.starts_with("filch: --out: "), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    assert_eq!(
        fs::read_to_string(home.path().join("file")).unwrap(),
        "mine"
    );
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        1,
        "nothing is left behind"
    );
}

/// The report but for the chapters whose numbers are measured on the machine.
fn without_measurements(json: &[u8]) -> serde_json::Value {
    let mut report: serde_json::Value = serde_json::from_slice(json).unwrap();
    let chapters = report["chapters"].as_array_mut().unwrap();
    chapters.retain(|chapter| chapter["measured"] == false);
    report
}

/// `reproduce` twice with the same seed: the same bytes, on standard output and in the folder.
#[test]
fn reports_are_repeatable() {
    let home = tempfile::tempdir().unwrap();
    let first = filch(
        &["reproduce", "--sketch", "--json", "--seed", "3"],
        home.path(),
    );
    let second = filch(
        &[
            "reproduce",
            "--sketch",
            "--json",
            "--seed",
            "3",
            "--out",
            "again",
        ],
        home.path(),
    );
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert_eq!(text(&first.stderr), "", "JSON and nothing else");
    assert_eq!(
        without_measurements(&first.stdout),
        without_measurements(&second.stdout)
    );

    let report: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(report["seed"], 3);
    assert_eq!(report["scale"], "sketch");
    assert!(!report["chapters"].as_array().unwrap().is_empty());
    let choices = &report["chapters"][0]["tables"][1]["rows"][0];
    assert!(choices[0].is_string() && choices[1].is_f64(), "{choices}");

    // The chapter of measurements is the last.
    let page = |folder: &str| {
        let page = fs::read_to_string(home.path().join(folder).join("report.md")).unwrap();
        let (repeatable, _) = page.split_once("## The runtime on this machine").unwrap();
        repeatable.to_owned()
    };
    assert_eq!(page("filch-report"), page("again"));
    // In the HTML the front page shows measured values too, on lines of their own.
    let html = |folder: &str| {
        let path = home.path().join(folder).join("report.html");
        let page = fs::read_to_string(path).unwrap();
        let (repeatable, _) = page
            .split_once("<section class=\"chapter\" id=\"runtime\"")
            .unwrap();
        let lines = repeatable.lines();
        let lines = lines.filter(|line| !line.contains("class=\"measured"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(html("filch-report") == html("again"));
    assert_eq!(
        fs::read(home.path().join("again/report.json")).unwrap(),
        second.stdout
    );
    // Three files of the report, its claims, the finished chapters, and one for each plot.
    let chapters = report["chapters"].as_array().unwrap().iter();
    let plots = chapters.filter_map(|chapter| chapter["plots"].as_array());
    let files = 5 + plots.map(Vec::len).sum::<usize>();
    assert_eq!(
        fs::read_dir(home.path().join("again")).unwrap().count(),
        files
    );
}

/// With a folder in the place of one of the files, none is written.
#[test]
fn a_report_is_written_whole_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("out/report.json")).unwrap();
    let output = filch(
        &["reproduce", "--sketch", "--json", "--out", "out"],
        home.path(),
    );
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let left: Vec<_> = fs::read_dir(home.path().join("out")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// An interrupted run leaves the chapters that are done, and says which are missing.
#[test]
fn a_killed_run_leaves_what_is_done() {
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(["reproduce", "--quick", "--json", "--out", "a/b"])
        .current_dir(home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The whole takes far longer than its first chapter.
    let out = home.path().join("a/b");
    while !out.join("report.json").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "still running");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let json = fs::read(out.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(report["chapters"][0]["id"], "decisions");
    let missing = report["missing"].as_array().unwrap();
    assert_eq!(missing.last().unwrap(), "The runtime on this machine");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("id=\"missing\"") && page.ends_with("</html>\n"));
}

/// Where standard error cannot be written, the exit code is still right and nothing panics.
#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_error_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    for (args, code) in [
        (&["policies", "jqs"][..], 2),
        (&["reproduce", "--out", "/dev/null"], 1),
        (&["reproduce", "--sketch"], 0),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_filch"))
            .args(args)
            .current_dir(home.path())
            .stdout(Stdio::null())
            .stderr(full)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn policies_are_listed() {
    let (status, stdout, stderr) = run(&["policies"]);
    assert_eq!((status, &*stderr), (Some(0), ""));
    for name in [
        "jsq:D:M",
        "idle-fastest(F)",
        "pi",
        "fraction:R",
        "uniform-other",
        "zipf:S",
    ] {
        assert!(stdout.contains(name), "{name}");
    }
    let (status, stdout, _) = run(&["policies", "--json"]);
    assert_eq!(status, Some(0));
    let list: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(list["kinds"][0]["names"][0]["name"], "random");
}

#[test]
fn help_version_completions_and_manual() {
    for (args, words) in [
        (&["--help"][..], "Usage: filch <COMMAND>"),
        (&["reproduce", "--help"], "--seed <N>"),
        (&["natural", "--help"], "--processors <N>"),
        (&["theory", "natural", "--help"], "--lambda <L>"),
        (&["sweep", "--help"], "--shard <K/N>"),
        (&["merge", "--help"], "filch merge [OPTIONS] <DIR>"),
        (&["--version"], concat!("filch ", env!("CARGO_PKG_VERSION"))),
        (&["completions", "bash"], "complete -F _filch"),
        (&["man"], ".TH filch 1"),
        (&["man", "reproduce"], "filch\\-reproduce"),
        (&["man", "dag", "run"], ".TH filch-dag-run 1"),
    ] {
        let (status, stdout, stderr) = run(args);
        assert_eq!((status, &*stderr), (Some(0), ""), "{args:?}");
        assert!(stdout.contains(words), "{args:?}: {stdout}");
    }
}
