//! `filch sweep` and `filch merge`: stopped, continued, cut and damaged sweeps give the same bytes,
//! or are refused.

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

/// One row for each point and replication, with the numbers of `filch natural`.
#[test]
fn rows_are_those_of_the_command() {
    let home = home(SMALL);
    let home = home.path();
    let done = summary(home, &["sweep", "sweep.toml", "--json"]);
    assert_eq!(
        (&done["points"], &done["rows"], &done["computed"]),
        (&12.into(), &24.into(), &24.into())
    );
    let csv = fs::read_to_string(home.join("filch-sweep/rows.csv")).unwrap();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 25);
    let at = |name: &str| lines[0].iter().position(|one| *one == name).unwrap();
    // The last parameter with several values varies fastest: 16 processors, 0.4, one.
    let point = &lines[1 + 2 * 5];
    assert_eq!(
        [
            point[at("processors")],
            point[at("lambda")],
            point[at("steal")]
        ],
        ["16", "0.4", "\"one\""]
    );
    let natural = filch(
        home,
        &[
            "natural",
            "--processors",
            "16",
            "--lambda",
            "0.4",
            "--steal",
            "one",
            "--steps",
            "300",
            "--replications",
            "1",
            "--seed",
            "5",
            "--json",
        ],
    );
    let natural: Value = serde_json::from_slice(&natural.stdout).unwrap();
    let number = |name: &str| point[at(name)].parse::<f64>().unwrap();
    assert_eq!(Some(number("mean_load")), natural["mean_load"].as_f64());
    assert_eq!(Some(number("max_queue")), natural["max_queue"].as_f64());
    assert_eq!(Some(point[at("verdict")]), natural["verdict"].as_str());
    let manifest: Value = serde_json::from_slice(&results(&home.join("filch-sweep"))[2]).unwrap();
    let names: Vec<_> = manifest["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, lines[0]);
    // The plan in the manifest is a sweep file of the same sweep.
    fs::write(home.join("again.toml"), manifest["plan"].as_str().unwrap()).unwrap();
    let again = summary(home, &["sweep", "again.toml", "--json"]);
    assert_eq!(
        (&again["computed"], &again["plan"]),
        (&0.into(), &done["plan"])
    );
}

/// Every model, one and two threads, cuts into 1, 2, 3 and 7 shards, run and copied in any order.
#[test]
fn any_number_of_threads_and_shards_gives_the_same_bytes() {
    let farm = "model = \"dispatch\"\nreplications = 2\n[grid]\nservers = [\"a=3@1,b=2@4\"]\n\
                policy = [\"pi\", \"jsq:2\"]\nload = [0.5, 0.7]\nslots = 500\n";
    let fleet = "model = \"fleet\"\nuntil = \"20%\"\nreplications = 3\n[grid]\nservers = [1, 3]\n\
                 lambda = [0.5, 0.8]\npolicy = \"random\"\ntime = 60\n";
    let dag = "model = \"dag\"\n[grid]\nfamily = [\"fib:8\", \"figure1\"]\n\
               scheduler = [\"greedy\", \"stealing\"]\nprocessors = [1, 3]\n";
    let limit =
        "model = \"limit supermarket\"\n[grid]\nlambda = [0.5, 0.9]\nmemory = [false, true]\n";
    for sweep in [SMALL, farm, fleet, dag, limit] {
        let home = home(sweep);
        let home = home.path();
        let one = summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--out",
                "one",
                "--threads",
                "1",
                "--json",
            ],
        );
        summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--out",
                "two",
                "--threads",
                "2",
                "--json",
            ],
        );
        let expected = results(&home.join("one"));
        assert_eq!(expected, results(&home.join("two")));
        // All models are cut alike.
        let cuts: &[u64] = if sweep == SMALL { &[1, 2, 3, 7] } else { &[3] };
        for &of in cuts {
            let folder = format!("cut-{of}");
            for number in (1..=of).rev() {
                let shard = format!("{number}/{of}");
                // Every other shard on a machine of its own.
                let out = if number % 2 == 0 {
                    folder.clone()
                } else {
                    format!("{folder}/{number}")
                };
                let part = summary(
                    home,
                    &[
                        "sweep",
                        "sweep.toml",
                        "--shard",
                        &shard,
                        "--out",
                        &out,
                        "--json",
                    ],
                );
                assert_eq!(part["plan"], one["plan"]);
            }
            let merged = summary(home, &["merge", &folder, "--json"]);
            assert_eq!(merged["rows"], one["rows"]);
            assert!(
                results(&home.join(&folder)) == expected,
                "{of} shards of {sweep}"
            );
        }
    }
}

/// Rows in a journal that is being written: the records with the mark of a row.
fn rows_in(journal: &Path) -> usize {
    let Ok(bytes) = fs::read(journal) else {
        return 0;
    };
    let mut rest = bytes.get(27..).unwrap_or(&[]);
    let mut rows = 0;
    while let Some(length) = rest.first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(record) = rest.get(..8 + length) else {
            break;
        };
        rows += usize::from(record[8] == b'R');
        rest = &rest[8 + length..];
    }
    rows
}

/// Waits until a journal has as many rows, or the process has ended.
fn wait_for(rows: usize, journal: &Path, process: &mut Child) {
    while rows_in(journal) < rows && process.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Killed at several moments, a sweep goes on: what was in the journal when it was killed is not
/// computed again, and the results have the same bytes.
#[test]
fn a_killed_sweep_goes_on() {
    let home = home(LONG);
    let home = home.path();
    let whole = summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let all = whole["rows"].as_u64().unwrap() as usize;
    assert_eq!(all, 240);
    let journal = home.join("killed/shard-1-of-1.rows");
    let mut kills = 0;
    for moment in [0, 1, 30, 31, 90, 150, 220] {
        let mut process = command(
            home,
            &["sweep", "sweep.toml", "--out", "killed", "--threads", "2"],
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        wait_for(moment, &journal, &mut process);
        // `kill` is SIGKILL; a sweep that was faster has ended by itself.
        let _ = process.kill();
        kills += usize::from(!process.wait().unwrap().success());
        assert!(rows_in(&journal) >= moment.min(all));
    }
    assert!(kills >= 1, "every sweep ended before it was killed");
    let before = rows_in(&journal);
    let rest = summary(home, &["sweep", "sweep.toml", "--out", "killed", "--json"]);
    assert_eq!(rest["computed"].as_u64().unwrap() as usize, all - before);
    assert_eq!(rows_in(&journal), all);
    assert!(results(&home.join("whole")) == results(&home.join("killed")));
    // Finished: nothing is computed, and every byte stays.
    let again = summary(home, &["sweep", "sweep.toml", "--out", "killed", "--json"]);
    assert_eq!(again["computed"], 0);
    assert!(results(&home.join("whole")) == results(&home.join("killed")));
}

/// A journal that is cut anywhere, or of which a byte is changed, is not merged. The sweep
/// goes on from it and gives the same bytes, or refuses a damaged head.
#[test]
fn damage_is_noticed() {
    let home = home("model = \"limit supermarket\"\n[grid]\nlambda = [0.2, 0.4]\nchoices = 1\n");
    let home = home.path();
    summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let expected = results(&home.join("whole"));
    let name = "shard-1-of-1.rows";
    let good = fs::read(home.join("whole").join(name)).unwrap();
    let folder = home.join("damaged");
    fs::create_dir(&folder).unwrap();
    // A sample of places; the journal's own tests try every length and every bit.
    let first_row = 27 + 8 + u32::from_le_bytes(good[27..31].try_into().unwrap()) as usize;
    let places = (0..first_row)
        .step_by(61)
        .chain((first_row..good.len()).step_by(11));
    let mut went_on = 0;
    for at in places {
        let mut flipped = good.clone();
        flipped[at] ^= 0x10;
        for damaged in [&good[..at], &flipped] {
            for file in ["rows.parquet", "rows.csv", "manifest.json"] {
                let _ = fs::remove_file(folder.join(file));
            }
            fs::write(folder.join(name), damaged).unwrap();
            let lines = refused(home, &["merge", "damaged"]);
            assert!(lines[0].contains(name), "{lines:?}");
            assert!(
                ["is damaged", "is not finished"]
                    .iter()
                    .any(|word| lines[0].contains(word)),
                "{lines:?}"
            );
            assert_eq!(
                fs::read_dir(&folder).unwrap().count(),
                1,
                "nothing is written"
            );
            let output = filch(home, &["sweep", "sweep.toml", "--out", "damaged", "--json"]);
            if output.status.success() {
                went_on += 1;
                assert!(results(&folder) == expected, "{at}");
            } else {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    at < first_row && error.contains("is damaged at its head"),
                    "{at}: {error}"
                );
            }
        }
    }
    assert!(went_on > 12, "{went_on}");
}

/// A journal whose head says something else, with the right checksum.
fn with_head(journal: &[u8], field: &str, value: &Value) -> Vec<u8> {
    let (magic, rest) = journal.split_at(27);
    let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
    let mut identity: Value = serde_json::from_slice(&rest[9..8 + length]).unwrap();
    identity[field] = value.clone();
    let payload = format!("I{identity}");
    let size = (payload.len() as u32).to_le_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(&size);
    sum.update(payload.as_bytes());
    let sum = sum.finalize().to_le_bytes();
    [magic, &size, &sum, payload.as_bytes(), &rest[8 + length..]].concat()
}

/// Missing, double, foreign, unfinished and damaged shards: one line each, and nothing is written.
#[test]
fn what_cannot_be_merged_is_named() {
    let home = home(SMALL);
    let home = home.path();
    for number in 1..=4 {
        let shard = format!("{number}/4");
        summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--shard",
                &shard,
                "--out",
                "parts",
                "--json",
            ],
        );
    }
    summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let part = |number: u64| home.join(format!("parts/shard-{number}-of-4.rows"));
    let check = |expected: &[&str]| {
        let lines = refused(home, &["merge", "parts"]);
        assert_eq!(lines.len(), expected.len() + 1, "{lines:?}");
        for (line, words) in lines.iter().zip(expected) {
            assert!(
                line.starts_with("filch: ") && line.contains(words),
                "{line}"
            );
        }
        assert!(
            lines[expected.len()].ends_with("'parts' is not merged"),
            "{lines:?}"
        );
        assert!(
            !home.join("parts/rows.csv").exists() && !home.join("parts/manifest.json").exists()
        );
    };
    // Missing and double.
    fs::rename(part(2), home.join("two")).unwrap();
    fs::copy(part(3), home.join("parts/copy.rows")).unwrap();
    check(&[
        "shard-3-of-4.rows' is shard 3/4 again, after 'parts/copy.rows'",
        "shard 2/4 is missing: run",
    ]);
    fs::remove_file(home.join("parts/copy.rows")).unwrap();
    // Of another plan, and of another cut.
    summary(
        home,
        &[
            "sweep",
            "sweep.toml",
            "--seed",
            "6",
            "--shard",
            "2/4",
            "--out",
            "other",
            "--json",
        ],
    );
    fs::rename(home.join("other/shard-2-of-4.rows"), part(2)).unwrap();
    summary(
        home,
        &[
            "sweep",
            "sweep.toml",
            "--shard",
            "2/5",
            "--out",
            "parts",
            "--json",
        ],
    );
    check(&[
        "shard-2-of-4.rows' is of another plan",
        "shard-2-of-5.rows' is shard 2/5 of another cut: the others are of 4",
        "shard 2/4 is missing",
    ]);
    fs::remove_file(home.join("parts/shard-2-of-5.rows")).unwrap();
    // Of another version or build: the head says so, and its checksum is right.
    let journal = fs::read(home.join("two")).unwrap();
    for (field, value, words) in [
        (
            "version",
            Value::from("0.0.1"),
            "was made by filch 0.0.1, and not by",
        ),
        ("build", 7.into(), "was made by another build of filch"),
    ] {
        fs::write(part(2), with_head(&journal, field, &value)).unwrap();
        check(&[words, "shard 2/4 is missing"]);
        let lines = refused(
            home,
            &["sweep", "sweep.toml", "--shard", "2/4", "--out", "parts"],
        );
        assert!(
            lines[0].contains(words) && lines[0].contains("name another --out"),
            "{lines:?}"
        );
    }
    // All of another version.
    fs::create_dir(home.join("old")).unwrap();
    let whole = fs::read(home.join("whole/shard-1-of-1.rows")).unwrap();
    let old = with_head(&whole, "version", &Value::from("0.0.1"));
    fs::write(home.join("old/shard-1-of-1.rows"), old).unwrap();
    let lines = refused(home, &["merge", "old"]);
    assert!(
        lines.len() == 1 && lines[0].contains("were made by filch 0.0.1: merge them with it"),
        "{lines:?}"
    );
    // Unfinished and damaged.
    fs::write(part(2), &journal[..journal.len() - 17]).unwrap();
    check(&["is not finished, with 6 rows so far: run shard 2/4 again"]);
    fs::write(part(2), &journal[..journal.len() - 1]).unwrap();
    check(&["is damaged after 6 rows: run shard 2/4 again"]);
    fs::write(part(2), "hello").unwrap();
    check(&["is damaged at its head", "shard 2/4 is missing"]);
    // And all is well.
    fs::rename(home.join("two"), part(2)).unwrap();
    summary(home, &["merge", "parts", "--out", "merged/here", "--json"]);
    assert!(results(&home.join("merged/here")) == results(&home.join("whole")));
    fs::create_dir(home.join("empty")).unwrap();
    for (folder, words) in [
        ("empty", "there are no shards in 'empty'"),
        ("nowhere", "cannot read the folder 'nowhere'"),
    ] {
        let lines = refused(home, &["merge", folder]);
        assert!(lines.len() == 1 && lines[0].contains(words), "{lines:?}");
    }
}

/// A second process in the same folder is refused while the first one runs.
#[test]
fn one_process_at_a_time() {
    // More than a minute of work, of which little is done.
    let home = home(&LONG.replace("replications = 40", "replications = 20000"));
    let home = home.path();
    let journal = home.join("out/shard-1-of-1.rows");
    let mut first = command(
        home,
        &["sweep", "sweep.toml", "--out", "out", "--threads", "1"],
    )
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    wait_for(1, &journal, &mut first);
    let second = filch(home, &["sweep", "sweep.toml", "--out", "out"]);
    assert_eq!(first.try_wait().unwrap(), None, "the first one still runs");
    first.kill().unwrap();
    first.wait().unwrap();
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(2), "{error}");
    assert!(
        error.contains("is being written by another process"),
        "{error}"
    );
}

/// Wrong fields: file, line, field, and what is allowed.
#[test]
fn wrong_fields_are_named() {
    let home = home(SMALL);
    let home = home.path();
    for (from, to, message) in [
        (
            "\"natural\"",
            "\"naturl\"",
            "line 1: model: unknown model 'naturl': use one of \"natural\", \"dispatch\", \"dag\", \"fleet\"",
        ),
        (
            "\"natural\"",
            "7",
            "line 1: model: it is the name of a model in quotes",
        ),
        (
            "replications = 2",
            "replications = 0",
            "line 2: replications: '0' is not a whole number from 1 to 1048576",
        ),
        (
            "replications = 2",
            "replications = \"2\"",
            "line 2: replications: it is a whole number above 0",
        ),
        (
            "replications = 2",
            "replicatoins = 2",
            "line 2: replicatoins: there is no such field: use model, seed, replications, until, most_replications, grid; did you mean 'replications'",
        ),
        (
            "replications = 2",
            "replications = 2\nuntil = \"x\"",
            "line 3: until: 'x' is not a share between 0 and 1",
        ),
        (
            "replications = 2",
            "replications = 2\nuntil = 3",
            "line 3: until: it is a share between 0 and 1, as \"1%\" or 0.01",
        ),
        (
            "replications = 2",
            "replications = 2\nmost_replications = 5",
            "line 3: most_replications: it means nothing without until",
        ),
        (
            "seed = 5",
            "seed = -5",
            "line 3: seed: it is a whole number from 0 to 18446744073709551615",
        ),
        (
            "[8, 16, 32]",
            "[8, 16, 0]",
            "line 6: grid.processors: '0' is not a whole number from 1 to 2147483647",
        ),
        (
            "[8, 16, 32]",
            "[\n8,\n16, 16]",
            "line 8: grid.processors: 16 is there twice: give each value once",
        ),
        (
            "[8, 16, 32]",
            "[]",
            "line 6: grid.processors: there is nothing in the list",
        ),
        (
            "[8, 16, 32]",
            "2024-01-01",
            "line 6: grid: processors: datetime is no value here",
        ),
        (
            "[8, 16, 32]",
            "{ from = 1, to = 5 }",
            "line 6: grid: processors: write a range as { from = 0.1, to = 0.9, step = 0.1 }",
        ),
        (
            "[8, 16, 32]",
            "{ from = 5, to = 1, step = 1 }",
            "line 6: grid: processors: it goes nowhere",
        ),
        (
            "[8, 16, 32]",
            "{ from = 1, to = 1e9, step = 1e-3 }",
            "line 6: grid: processors: it has more than 1e6 values",
        ),
        (
            "[0.4, 0.6]",
            "[0.4, 1.6]",
            "line 7: grid.lambda: 1.6: a probability is between 0 and 1",
        ),
        (
            "[0.4, 0.6]",
            "[0.4, inf]",
            "line 7: grid: lambda: inf is not a finite number",
        ),
        (
            "lambda",
            "lamda",
            "line 7: grid.lamda: the model natural has no such parameter: use processors, lambda, steal, generators, steps, warmup, cut; did you mean 'lambda'?",
        ),
        (
            "lambda = [0.4, 0.6]",
            "",
            "sweep: grid.lambda: say the probability with which a generator makes a job in a step",
        ),
        (
            "\"one\"",
            "\"hlaf\"",
            "line 8: grid.steal: unknown steal function 'hlaf'",
        ),
        (
            "steps = 300",
            "steps = 300\nwarmup = 300",
            "line 9: grid.steps: 300 steps leave nothing after a warmup of 300",
        ),
        ("[grid]", "[grid", "line 5: malformed: "),
        (
            "[grid]",
            "grid = 3\n[gird]",
            "line 5: grid: it is a table: write [grid]",
        ),
    ] {
        assert!(SMALL.contains(from), "{from}");
        fs::write(home.join("sweep"), SMALL.replace(from, to)).unwrap();
        let lines = refused(home, &["sweep", "sweep"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let message = message.strip_prefix("sweep: ").map_or_else(
            || format!("filch: sweep, {message}"),
            |rest| format!("filch: sweep: {rest}"),
        );
        assert!(lines[0].starts_with(&message), "{}\n{message}", lines[0]);
        assert!(!home.join("filch-sweep").exists());
    }
    for (text, message) in [
        ("", "the sweep file 'sweep' is empty"),
        ("[grid]\n", "sweep, line 1: model: say what to run"),
    ] {
        fs::write(home.join("sweep"), text).unwrap();
        let lines = refused(home, &["sweep", "sweep"]);
        assert!(lines[0].contains(message), "{lines:?}");
    }
    for (arguments, message) in [
        (
            &["sweep", "nowhere.toml"][..],
            "cannot read the sweep file 'nowhere.toml'",
        ),
        (
            &["sweep", "sweep.toml", "--shard", "5/4"],
            "--shard: '5/4' is not K/N with K from 1 to N",
        ),
        (
            &["sweep", "sweep.toml", "--until", "200%"],
            "--until: '200%' is not a share between 0 and 1",
        ),
    ] {
        let lines = refused(home, arguments);
        assert!(lines.len() == 1 && lines[0].contains(message), "{lines:?}");
    }
}

/// A field of a sweep file is refused in the words of the flag of the same name.
#[test]
fn refusals_are_those_of_the_flags() {
    let home = home(SMALL);
    let home = home.path();
    let natural = ("natural", "natural", &["processors=8", "lambda=0.5"][..]);
    let dispatch = ("dispatch", "dispatch", &["policy=pi"][..]);
    let fleet = ("fleet", "fleet", &["servers=2", "lambda=0.5"][..]);
    let dag = (
        "dag run",
        "dag",
        &["family=fib:5", "scheduler=greedy", "processors=2"][..],
    );
    let limit = ("limit stealing", "limit stealing", &["lambda=0.5"][..]);
    let toml = |field: &str, value: &str| match value.parse::<f64>() {
        Ok(_) => format!("{field} = {value}\n"),
        Err(_) => format!("{field} = \"{value}\"\n"),
    };
    for ((command, model, others), field, value) in [
        (natural, "processors", "0"),
        (natural, "lambda", "1.5"),
        (natural, "steal", "hlaf"),
        (natural, "generators", "onne"),
        (natural, "generators", "k:0"),
        (natural, "steps", "0"),
        (natural, "cut", "0"),
        (dispatch, "servers", "a=x@1"),
        (dispatch, "load", "0"),
        (dispatch, "policy", "jqs"),
        (dispatch, "slots", "0"),
        (fleet, "servers", "0"),
        (fleet, "lambda", "0"),
        (fleet, "dispatchers", "1001"),
        (fleet, "time", "0"),
        (dag, "family", "fbi:3"),
        (dag, "processors", "0"),
        (limit, "lambda", "1"),
        (limit, "threshold", "1"),
        (limit, "attempts", "101"),
        (limit, "retries", "0"),
    ] {
        let others = others.iter().filter_map(|one| one.split_once('='));
        let others: Vec<(&str, &str)> = others.filter(|(name, _)| *name != field).collect();
        // `fleet` and `dispatch` have policies of their own; in a sweep they are given.
        let typed = others.iter().filter(|(name, _)| *name != "policy");
        let typed = typed.map(|(name, value)| format!("--{name}={value}"));
        let typed: Vec<String> = typed.chain([format!("--{field}={value}")]).collect();
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(typed.iter().map(String::as_str));
        let typed = refused(home, &arguments).remove(0);
        let policy = [("policy", "pi")].into_iter().filter(|_| model == "fleet");
        let fields = others.iter().copied().chain(policy);
        let fields: String = fields.map(|(name, value)| toml(name, value)).collect();
        let wrong = toml(field, value);
        let sweep = format!("model = \"{model}\"\n[grid]\n{wrong}{fields}");
        fs::write(home.join("sweep"), sweep).unwrap();
        let written = refused(home, &["sweep", "sweep"]).remove(0);
        let sentence = |line: &str, before: &str| {
            let (_, sentence) = line
                .split_once(before)
                .unwrap_or_else(|| panic!("{field}: {line}"));
            sentence.to_owned()
        };
        assert_eq!(
            sentence(&typed, &format!("--{field}: ")),
            sentence(&written, &format!("grid.{field}: "))
        );
    }
}

/// The first row of a point has the numbers of the command with the same flags: the defaults are
/// the same too.
#[test]
fn every_model_has_the_numbers_of_its_command() {
    let home = home(SMALL);
    let home = home.path();
    for (command, sweep, column, path) in [
        (
            "dispatch --policy jsq:2 --slots 3000",
            "model = \"dispatch\"\n[grid]\npolicy = \"jsq:2\"\nslots = 3000\n",
            "mean_total_queue",
            "/situations/0/policies/0/mean_total_queue",
        ),
        (
            "dispatch --policy pi --slots 3000 --split --warmup 100",
            "model = \"dispatch\"\n[grid]\npolicy = \"pi\"\nslots = 3000\nbatches = \"split\"\n\
             warmup = 100\n",
            "jct_mean",
            "/situations/0/policies/0/jct/mean",
        ),
        (
            "fleet --servers 7 --lambda 0.8 --policies pi --replications 1",
            "model = \"fleet\"\n[grid]\nservers = 7\nlambda = 0.8\npolicy = \"pi\"\n",
            "mean_time_in_system",
            "/policies/0/mean_time_in_system",
        ),
        (
            "dag run --family fib:9 --scheduler vertex-stealing --processors 3",
            "model = \"dag\"\n[grid]\nfamily = \"fib:9\"\nscheduler = \"vertex-stealing\"\n\
             processors = 3\n",
            "time",
            "/time/mean",
        ),
        (
            "limit natural --lambda 0.8",
            "model = \"limit natural\"\n[grid]\nlambda = 0.8\n",
            "mean_load_per_processor",
            "/mean_load_per_processor",
        ),
        (
            "limit stealing --lambda 0.8",
            "model = \"limit stealing\"\n[grid]\nlambda = 0.8\n",
            "mean_time_in_system",
            "/mean_time_in_system",
        ),
        (
            "limit supermarket --lambda 0.8 --memory",
            "model = \"limit supermarket\"\n[grid]\nlambda = 0.8\nmemory = true\n",
            "error",
            "/error",
        ),
    ] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push("--json");
        let printed = summary(home, &arguments);
        fs::write(home.join("one.toml"), sweep).unwrap();
        let _ = fs::remove_dir_all(home.join("one"));
        summary(home, &["sweep", "one.toml", "--out", "one", "--json"]);
        let csv = fs::read_to_string(home.join("one/rows.csv")).unwrap();
        let mut lines = csv.lines().map(|line| {
            // Names have commas in their quotes.
            let mut quoted = false;
            let cell = |letter: char| {
                quoted ^= letter == '"';
                letter == ',' && !quoted
            };
            line.split(cell).collect::<Vec<_>>()
        });
        let head = lines.next().unwrap();
        let at = head.iter().position(|one| *one == column).unwrap();
        let number: f64 = lines.next().unwrap()[at].parse().unwrap();
        assert_eq!(
            printed.pointer(path).and_then(Value::as_f64),
            Some(number),
            "{command}"
        );
    }
}

/// `--until` adds replications until the interval is as narrow; the rows say so.
#[test]
fn until_narrows_the_interval() {
    let home = home(
        "model = \"fleet\"\nreplications = 3\n[grid]\nservers = 1\nlambda = 0.5\npolicy = \"random\"\ntime = 2000\n",
    );
    let home = home.path();
    let plain = summary(home, &["sweep", "sweep.toml", "--out", "plain", "--json"]);
    let narrow = summary(
        home,
        &[
            "sweep",
            "sweep.toml",
            "--out",
            "narrow",
            "--until",
            "3%",
            "--json",
        ],
    );
    assert_eq!(
        (&plain["rows"], plain.get("wide"), &narrow["wide"]),
        (&3.into(), None, &0.into())
    );
    let csv = fs::read_to_string(home.join("narrow/rows.csv")).unwrap();
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let at = head
        .iter()
        .position(|one| *one == "mean_time_in_system")
        .unwrap();
    let times: Vec<f64> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(at).unwrap().parse().unwrap())
        .collect();
    assert!(times.len() > 3 && times.len() as u64 == narrow["rows"].as_u64().unwrap());
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    // An M/M/1 queue: 1/(1 − λ) mean service times. Twice the half-width that was asked for, and
    // the seed is fixed.
    assert!((mean / 2.0 - 1.0).abs() < 0.06, "{mean}");
    // Too few replications are allowed: that is told.
    let few = "model = \"fleet\"\nreplications = 2\nmost_replications = 3\nuntil = 0.0001\n[grid]\nservers = 1\nlambda = 0.5\npolicy = \"random\"\ntime = 20\n";
    fs::write(home.join("few.toml"), few).unwrap();
    let output = filch(home, &["sweep", "few.toml", "--out", "few"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with(
            "fleet: 1 point, 3 rows (3 computed now)\n1 of 1 points did not become as precise"
        ),
        "{text}"
    );
}
