//! `filch natural` and `filch theory natural` as a user meets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use num_bigint::BigUint;
use serde_json::{Value, json};

fn filch(args: &str, folder: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("filch runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("filch writes UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn json(args: &str) -> Value {
    let home = tempfile::tempdir().unwrap();
    let (status, stdout, stderr) = filch(args, home.path());
    assert_eq!((status, &*stderr), (Some(0), ""), "{args}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{args}: {error}: {stdout}"))
}

const EXACT: f64 = 0.290_572_354;

/// Two processors, λ = 1/2, all generators on the first, f = half. The mean load of the chain
/// solved exactly (by the solver in the tests of filch-sim) is inside the 95 % interval of this
/// seed.
#[test]
fn a_small_process_has_its_mean() {
    let answer = json(
        "natural --processors 2 --lambda 0.5 --steal half --generators one --steps 200000 --json",
    );
    assert_eq!(answer["verdict"], "stable");
    let [low, high] = [0, 1].map(|end| answer["ci95"][end].as_f64().unwrap());
    assert!(
        low < EXACT && EXACT < high && high - low < 0.02,
        "{low} {high}"
    );
    assert_eq!(answer["theorem22_unstable"], false);
    assert_eq!(answer["cut"], Value::Null);
    for field in [
        "mean_load",
        "max_queue",
        "requests_per_step",
        "steals_per_step",
        "jobs_moved_per_step",
    ] {
        assert!(answer[field].is_number(), "{field}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let args = "natural --processors 50 --lambda 0.8 --generators zipf:1 --steps 2000 --seed 5 --recover 9000";
    let home = tempfile::tempdir().unwrap();
    let first = filch(args, home.path());
    assert_eq!(first.0, Some(0));
    assert_eq!(first, filch(args, home.path()));
    let other = filch(&args.replace("--seed 5", "--seed 6"), home.path());
    assert_ne!(first.1, other.1);
}

/// Theorem 22's example: on one host, fewer than λn − 1 jobs at once are too few.
#[test]
fn an_unstable_process_is_cut_and_says_so() {
    let answer = json(
        "natural --processors 100 --lambda 0.9 --steal const:50 --steps 100000 --cut 20000 --json",
    );
    assert_eq!(answer["verdict"], "unstable");
    assert_eq!(answer["theorem22_unstable"], true);
    assert_eq!(answer["cut"]["load"], 20_000);
    assert!(answer["cut"]["step"].as_u64().unwrap() < 2000);
    assert_eq!(answer["bounds"]["theorem22"]["most_jobs_at_once"], 50);
    // Cut during its warm-up, it has no mean, and says that instead of a wrong one.
    assert_eq!(answer["mean_load"], Value::Null);

    let home = tempfile::tempdir().unwrap();
    let (status, stdout, _) = filch(
        "natural --processors 100 --lambda 0.9 --steal one --steps 9999 --cut 20000",
        home.path(),
    );
    assert_eq!(status, Some(0));
    assert!(
        stdout.contains("a run had more than 20000 jobs after"),
        "{stdout}"
    );
}

/// 10 000 jobs in one of 20 queues, of which ten more are processed than made in a step if no
/// processor is idle.
#[test]
fn recovery_is_measured() {
    let answer = json(
        "natural --processors 20 --lambda 0.5 --generators each --steps 3000 --recover 10000 --json",
    );
    let recovery = &answer["recovery"];
    assert_eq!(recovery["recovered"], 8);
    let steps = recovery["mean_steps"].as_f64().unwrap();
    let least = recovery["at_least"].as_f64().unwrap();
    assert_eq!(least, 1000.0);
    assert!((0.95 * least..1.5 * least).contains(&steps), "{steps}");
}

#[test]
fn the_trace_is_the_load_over_time() {
    let home = tempfile::tempdir().unwrap();
    let args = "natural --processors 10 --lambda 1 --steal const:0 --steps 300 --replications 2 --trace out/load.csv";
    let (status, _, stderr) = filch(args, home.path());
    assert_eq!((status, &*stderr), (Some(0), ""));
    let trace = fs::read_to_string(home.path().join("out/load.csv")).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(lines.len(), 601);
    // Nine more jobs in every step.
    assert_eq!(lines[..3], ["replication,step,load", "0,1,9", "0,2,18"]);
    assert_eq!(lines[600], "1,300,2700");

    let (status, _, stderr) = filch(&args.replace("out/load.csv", "out"), home.path());
    assert_eq!(status, Some(2), "{stderr}");
    assert!(
        stderr.contains("--trace: 'out' is not the name of a file"),
        "{stderr}"
    );
}

#[test]
fn bounds_are_exact_or_logarithms() {
    let answer = json("theory natural --processors 1024 --lambda 0.9 --steal half --json");
    let bounds = &answer["bounds"];
    assert_eq!(bounds["constants"]["z"], 327);
    assert_eq!(bounds["constants"]["T"], 401);
    let phi = bounds["load"]["phi_f"]["exact"].as_str().unwrap();
    // n·(3T·2^z − T), as Lemma 2 gives it for half.
    let share = (BigUint::from(3u16 * 401) << 327) - 401u16;
    let expected: BigUint = share * 1024u16;
    assert_eq!(phi, expected.to_string());
    assert_eq!(bounds["load"]["mean"]["exact"].as_str().unwrap().len(), 105);
    assert_eq!(bounds["load"]["phi_f_by"], "search");
    assert_eq!(bounds["theorem22"], Value::Null);

    let answer = json("theory natural --processors 1024 --lambda 0.9 --steal sqrt --json");
    let phi = &answer["bounds"]["load"]["phi_f"];
    assert!(phi["log10"].as_f64().unwrap() > 1e90 && phi["exact"].is_null());

    let answer = json("theory natural --processors 1024 --lambda 0.9 --steal log2 --json");
    assert!(answer["bounds"]["load"]["phi_f"]["tower"].is_u64());

    // λ = 1: nothing is promised, and that is no failure.
    let answer = json("theory natural --processors 1024 --lambda 1 --steal half --json");
    assert_eq!(answer["bounds"]["load"], Value::Null);
    assert_eq!(
        answer["bounds"]["theorem10"][0],
        json!({
            "hypothesis": "λ < 1", "holds": false, "reason": "λ = 1 leaves no δ"
        })
    );
}

#[test]
fn people_can_read_it() {
    let home = tempfile::tempdir().unwrap();
    let (status, stdout, _) = filch(
        "theory natural --processors 100 --lambda 0.9 --steal const:9",
        home.path(),
    );
    assert_eq!(status, Some(0));
    for words in [
        "z  ",
        "f never exceeds 9",
        "1 · (9 + 1) < 90: yes, unstable",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    let (status, stdout, _) = filch(
        "natural --processors 64 --lambda 0.5 --steps 4000",
        home.path(),
    );
    assert_eq!(status, Some(0));
    for words in [
        "64 processors, λ = 0.5, steal half, generators one",
        "seed 1",
        "mean system load",
        "Theorem 12",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}
