//! `filch dag` and `filch theory dag` as a user meets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn filch(args: &str, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.args(args.split_whitespace());
    command.current_dir(folder).stdin(Stdio::null());
    command.output().expect("filch runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("filch writes UTF-8")
}

#[track_caller]
fn json(args: &str) -> Value {
    let home = tempfile::tempdir().unwrap();
    let output = filch(args, home.path());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[track_caller]
fn refused(args: &str, folder: &Path, code: i32) -> String {
    let output = filch(args, folder);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(stderr.lines().count(), 1, "one line: {stderr}");
    stderr
}

#[test]
fn the_example_is_measured() {
    let measured = json("dag measure --family figure1 --json");
    for (field, value) in [
        ("threads", 6),
        ("instructions", 23),
        ("work", 23),
        ("span", 10),
        ("stack_depth", 3),
        ("nd", 2),
    ] {
        assert_eq!(measured[field], value, "{field}");
    }
    assert_eq!(measured["strict"], true);
    assert_eq!(measured["fully_strict"], true);
}

#[test]
fn runs_tell_all_that_they_cost() {
    for scheduler in ["greedy", "busy-leaves", "stealing", "vertex-stealing"] {
        let run = json(&format!(
            "dag run --family fib:16 --scheduler {scheduler} --processors 8 --runs 5 --check --json"
        ));
        let number = |field: &str| {
            run[field]
                .as_f64()
                .unwrap_or_else(|| panic!("{field}: {run}"))
        };
        let measured = json("dag measure --family fib:16 --json");
        assert_eq!(number("work_bucket"), measured["work"].as_f64().unwrap());
        assert_eq!(number("steal_bucket"), number("steal_attempts"));
        let dollars = ["work_bucket", "steal_bucket", "wait_bucket", "idle_bucket"];
        let dollars: f64 = dollars.into_iter().map(number).sum();
        let mean = run["time"]["mean"].as_f64().unwrap();
        assert!((dollars - 8.0 * mean).abs() < 1e-6 * dollars, "{scheduler}");
        assert!(run["time"]["min"].as_f64().unwrap() <= mean);
        assert!(run["time"]["max"].as_f64().unwrap() >= mean);
        assert_eq!(run["bounds"]["space"], 8 * 16);
        assert!(run["bounds"]["greedy_time"].is_f64());
        assert_eq!(run["violations"], 0);
        assert!(number("steals") <= number("steal_attempts"));
        assert!(number("peak_space") >= 16.0);
    }
}

/// The same bytes from the same arguments, and other bytes from another seed.
#[test]
fn runs_are_repeatable() {
    let home = tempfile::tempdir().unwrap();
    let run = |seed: u64| {
        let args = format!(
            "dag run --family tree:8:3 --scheduler stealing --processors 16 --runs 20 --json --seed {seed}"
        );
        filch(&args, home.path()).stdout
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn computations_come_from_files() {
    let home = tempfile::tempdir().unwrap();
    let exported = filch("dag export --family random:30:4", home.path()).stdout;
    fs::write(home.path().join("dag.json"), &exported).unwrap();
    assert_eq!(
        filch("dag export --file dag.json", home.path()).stdout,
        exported
    );
    let measure = |source: &str| {
        let output = filch(&format!("dag measure {source} --json"), home.path());
        let mut measured: Value = serde_json::from_slice(&output.stdout).unwrap();
        measured.as_object_mut().unwrap().remove("computation");
        measured
    };
    assert_eq!(measure("--file dag.json"), measure("--family random:30:4"));
    let run = "dag run --file dag.json --scheduler stealing --processors 4 --check";
    assert_eq!(filch(run, home.path()).status.code(), Some(0));
}

#[test]
fn bad_files_end_with_2() {
    let home = tempfile::tempdir().unwrap();
    let write = |content: &str| fs::write(home.path().join("x.json"), content).unwrap();
    let thread = |name: &str, instructions: &str| {
        format!(r#"{{"name":"{name}","instructions":[{instructions}]}}"#)
    };
    let file = |spawns: &str, joins: &str| {
        format!(
            r#"{{"format":"filch-dag-1","threads":[{},{}],"spawns":[{spawns}],"joins":[{joins}]}}"#,
            thread("a", r#""a1","a2","a3","a4""#),
            thread("b", r#""b1","b2""#)
        )
    };
    for (content, words) in [
        ("nonsense".to_owned(), "--file 'x.json': expected"),
        ("[1,\n2]".to_owned(), "--file 'x.json': invalid"),
        ("\0".to_owned(), "it is not text in UTF-8"),
        (
            file(r#"["a1","b"]"#, r#"["b2","a3"],["a3","b1"]"#),
            "instructions wait for one another: a3 → b1 → b2 → a3",
        ),
        (
            file(r#"["a1","b"]"#, r#"["b2","a2"]"#),
            "the join edge from b2 enters a2, right after a spawn",
        ),
        (
            file(r#"["a1","b"]"#, ""),
            "instruction b2, the last of thread b, has no join edge to the parent",
        ),
        (file("", ""), "thread b is never spawned"),
        (
            file(r#"["a1","b"],["a2","b"]"#, ""),
            "thread b is spawned twice, by a1 and by a2",
        ),
    ] {
        write(&content);
        let line = refused("dag measure --file x.json", home.path(), 2);
        assert!(line.contains(words), "{line}");
    }
    // As for any other file that cannot be read.
    let line = refused("dag measure --file none.json", home.path(), 2);
    assert!(line.contains("--file: cannot read 'none.json'"), "{line}");
}

/// A computation that is not even strict: greedy runs it, busy-leaves and stealing do not.
#[test]
fn schedulers_refuse_what_they_cannot_run() {
    let home = tempfile::tempdir().unwrap();
    let file = r#"{"format":"filch-dag-1","threads":[
        {"name":"root","instructions":["r1","r2","r3","r4"]},
        {"name":"b","instructions":["b1","b2"]},
        {"name":"c","instructions":["c1","c2"]}],
        "spawns":[["r1","b"],["r2","c"]],
        "joins":[["b1","c2"],["b2","r4"],["c2","r4"]]}"#;
    fs::write(home.path().join("x.json"), file).unwrap();
    for (scheduler, words) in [
        ("busy-leaves", "busy-leaves needs a strict computation"),
        ("stealing", "stealing needs a strict computation"),
    ] {
        for command in ["run", "show"] {
            let args =
                format!("dag {command} --file x.json --scheduler {scheduler} --processors 2");
            let line = refused(&args, home.path(), 2);
            assert!(line.contains(words), "{line}");
        }
    }
    for scheduler in ["greedy", "vertex-stealing"] {
        let args = format!("dag run --file x.json --scheduler {scheduler} --processors 2 --check");
        let output = filch(&args, home.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let line = refused(
        "dag run --family strict:9:1 --scheduler hand-over --processors 2",
        home.path(),
        2,
    );
    assert!(line.contains("cannot run strict:9:1"), "{line}");
}

#[test]
fn schedules_are_shown() {
    let home = tempfile::tempdir().unwrap();
    let show = "dag show --family figure1 --scheduler busy-leaves --processors 2";
    let output = filch(show, home.path());
    let table = text(&output.stdout);
    assert!(table.contains("   8  Γ2*      Γ4 v8   Γ1 v21\n"), "{table}");
    assert!(table.contains("  13  Γ1       Γ2 v15\n"), "{table}");

    let output = filch(&format!("{show} --json --svg a.svg"), home.path());
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["time"], 14);
    assert_eq!(shown["steps"][7]["acts"][1]["instruction"], "v21");
    assert_eq!(shown["steps"][7]["acts"][1]["then"], "stalled");
    let svg = fs::read_to_string(home.path().join("a.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));

    let line = refused(
        "dag show --family fib:30 --scheduler stealing --processors 100",
        home.path(),
        2,
    );
    assert!(line.contains("too many to show"), "{line}");
    let line = refused(
        "dag show --family chain:1 --scheduler greedy --processors 100000000",
        home.path(),
        2,
    );
    assert!(
        line.contains("--processors: 100000000 are too many to show"),
        "{line}"
    );
    // Folders are made, as for `natural --trace`.
    let output = filch(&format!("{show} --svg new/b.svg"), home.path());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        svg,
        fs::read_to_string(home.path().join("new/b.svg")).unwrap()
    );
    let line = refused(&format!("{show} --svg new"), home.path(), 2);
    assert!(
        line.contains("--svg: 'new' is not the name of a file"),
        "{line}"
    );
    let line = refused(&format!("{show} --svg a.svg/b.svg"), home.path(), 1);
    assert!(line.contains("--svg: cannot write 'a.svg/b.svg'"), "{line}");
}

/// Names from a file may hold anything, and a terminal obeys escapes.
#[test]
fn names_from_files_are_escaped() {
    let home = tempfile::tempdir().unwrap();
    let file = r#"{"format":"filch-dag-1","threads":[
        {"name":"a\n\u001b[2J","instructions":["v\u001b[31m"]}],"spawns":[],"joins":[]}"#;
    fs::write(home.path().join("x\u{1b}.json"), file).unwrap();
    for command in [
        "dag show --scheduler greedy --processors 1",
        "dag run --scheduler greedy --processors 1",
        "dag measure",
    ] {
        let output = filch(&format!("{command} --file x\u{1b}.json"), home.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let page = text(&output.stdout);
        assert!(!page.contains('\u{1b}'), "{page:?}");
        assert!(page.contains(r"x\u{1b}.json"), "{page}");
        assert_eq!(
            page.contains(r"a\n\u{1b}[2J v\u{1b}[31m"),
            command.contains("show")
        );
    }
}

#[test]
fn one_processor_is_one() {
    let home = tempfile::tempdir().unwrap();
    for command in [
        "dag show --family figure1 --scheduler greedy --processors 1",
        "dag run --family figure1 --scheduler greedy --processors 1",
        "theory dag --family figure1 --processors 1",
        "natural --processors 1 --lambda 0.5 --steps 9",
    ] {
        let page = text(&filch(command, home.path()).stdout);
        assert!(
            page.contains("1 processor") && !page.contains("1 processors"),
            "{page}"
        );
    }
}

#[test]
fn bounds_alone() {
    let typed = json("theory dag --work 23 --span 10 --stack-depth 3 --nd 2 --processors 2 --json");
    let named = json("theory dag --family figure1 --processors 2 --json");
    assert_eq!(typed, named);
    assert_eq!(named["greedy_time"], 21.5);
    assert_eq!(named["space"], 6);
    assert_eq!(named["expected_phases"], 320);
    assert_eq!(named["communication"], 60);
    // Beyond 64 bits, a whole number is still whole.
    let large = json(&format!(
        "theory dag --work {max} --span {max} --processors 100000000 --json",
        max = u64::MAX
    ));
    assert_eq!(large["communication"], "3689348814741910323000000000");
}

/// The schedulers of fork-join runtimes say what became of stacks, in JSON and in the table.
#[test]
fn fork_join_runs_tell_of_stacks() {
    let run = "dag run --family items:200:20:200 --processors 8 --check --scheduler";
    for scheduler in [
        "leapfrog",
        "leapfrog-near",
        "help-any",
        "hand-over",
        "hand-over-extra",
        "hand-over-own",
    ] {
        let ran = json(&format!("{run} {scheduler} --json"));
        assert_eq!(ran["scheduler"], scheduler);
        assert_eq!(ran["violations"], 0);
        let stacks = &ran["stacks"];
        let deepest = stacks["deepest_stack"].as_u64().expect("a number");
        assert_eq!(
            deepest > 3,
            scheduler == "help-any",
            "{scheduler}: {deepest}"
        );
        let hands_over = stacks["hand_overs"].as_f64().expect("a number") > 0.0;
        assert_eq!(
            hands_over,
            scheduler.starts_with("hand-over"),
            "{scheduler}"
        );
    }
    let home = tempfile::tempdir().unwrap();
    let table = text(&filch(&format!("{run} hand-over"), home.path()).stdout);
    for row in ["deepest stack", "workers", "hand-overs", "stranded"] {
        assert!(table.contains(row), "{table}");
    }
    let message = refused(
        "dag run --family random:60:3 --processors 8 --scheduler hand-over",
        home.path(),
        2,
    );
    assert!(message.contains("--scheduler hand-over cannot run random:60:3"));
    let message = refused(
        "dag show --family fib:5 --processors 2 --scheduler hand-over-extra",
        home.path(),
        2,
    );
    assert!(message.contains("use hand-over"), "{message}");
}
