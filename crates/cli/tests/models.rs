//! `filch limit`, `filch natural --limit`, `filch fleet` and `filch rivals` as a user meets them.

use std::process::{Command, Stdio};

use serde_json::Value;

fn filch(args: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(args.split_whitespace())
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
    let (status, stdout, stderr) = filch(args);
    assert_eq!((status, &*stderr), (Some(0), ""), "{args}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{args}: {error}: {stdout}"))
}

fn real(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn limits_are_those_of_the_closed_forms() {
    let two = json("limit supermarket --lambda 0.5 --choices 2 --json");
    assert!((real(&two["tails"][3]) - 0.5f64.powi(7)).abs() < 1e-9);
    let one = json("limit stealing --lambda 0.5 --json");
    // s_2 = (1 + λ − √(1 + 2λ − 3λ²))/2.
    let exact = (1.5 - 1.25f64.sqrt()) / 2.0;
    assert!((real(&one["tails"][2]) - exact).abs() < 1e-9);
    let alone = json("limit natural --lambda 0.5 --steal const:0 --json");
    assert!((real(&alone["mean_load_per_processor"]) - 0.25).abs() < 1e-9);
    assert!(real(&alone["error"]) < 1e-9);
    assert_eq!(real(&alone["jobs_moved_per_step"]), 0.0);
}

#[test]
fn what_a_limit_looks_like() {
    let (status, stdout, _) = filch("limit supermarket --lambda 0.5 --choices 1");
    assert_eq!(status, Some(0));
    assert!(
        stdout.starts_with("supermarket, choices 1, λ = 0.5, n → ∞\n"),
        "{stdout}"
    );
    assert!(stdout.contains("share with as many or more"), "{stdout}");
}

/// A simulation of a few thousand processors has the limit near its interval.
#[test]
fn the_limit_is_beside_the_simulation() {
    let answer = json(
        "natural --processors 4000 --lambda 0.8 --generators uniform --steps 400 --limit --json",
    );
    let (mean, limit) = (&answer["mean_load_per_processor"], &answer["limit"]);
    let ratio = real(mean) / real(&limit["mean_load_per_processor"]);
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    assert_eq!(limit["applies"], true);
    let requests = real(&answer["requests_per_step"]) / 4000.0;
    assert!((requests / real(&limit["requests_per_step"]) - 1.0).abs() < 0.02);
}

/// A limit that cannot be computed says why, and only λ = 1 has no stationary state.
#[test]
fn a_limit_that_is_refused_says_why() {
    for (lambda, reason) in [
        ("0.9999", "more than 1024 jobs"),
        ("1", "no stationary state"),
    ] {
        let line = format!(
            "natural --processors 8 --lambda {lambda} --steal const:0 --generators uniform --steps \
             50 --limit"
        );
        let (status, stdout, _) = filch(&line);
        assert_eq!(status, Some(0));
        let shown = stdout
            .lines()
            .find(|line| line.contains("as n → ∞"))
            .unwrap();
        assert!(shown.contains(reason), "{shown}");
        let limit = &json(&format!("{line} --json"))["limit"];
        assert_eq!(limit["mean_load_per_processor"], Value::Null);
        assert!(
            limit["refused"]
                .as_str()
                .unwrap()
                .contains(if lambda == "1" { "below 1" } else { reason })
        );
    }
}

/// Outside the hypotheses the limit is computed, and labelled so.
#[test]
fn another_placement_is_labelled() {
    let line = "natural --processors 50 --lambda 0.5 --steps 100 --limit";
    let (_, stdout, _) = filch(line);
    assert!(
        stdout.contains("of generators uniform: one does not come to it"),
        "{stdout}"
    );
    assert_eq!(json(&format!("{line} --json"))["limit"]["applies"], false);
}

#[test]
fn a_fleet_is_beside_its_limits() {
    let line = "fleet --servers 300 --lambda 0.8 --time 60 --replications 4";
    let answer = json(&format!("{line} --json"));
    let rows = answer["policies"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let limit = real(&row["limit"]["mean_time_in_system"]);
        let ratio = real(&row["mean_time_in_system"]) / limit;
        assert!((ratio - 1.0).abs() < 0.15, "{row}");
        assert_eq!(row["limit"]["applies"], true);
    }
    // random, jsq:2 and jsq:1:1: each pair once, on the same arrivals.
    let differences = answer["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3);
    let first = &differences[0];
    assert_eq!([&first["first"], &first["second"]], ["random", "jsq:2"]);
    let mean = |row: usize| real(&rows[row]["mean_time_in_system"]);
    assert!((real(&first["difference"]) - (mean(0) - mean(1))).abs() < 1e-9);
    assert!(real(&first["ci95"][0]) > 0.0, "{first}");
    assert_eq!(filch(line), filch(&format!("{line} --threads 1")));
    let several = json(&format!(
        "{line} --dispatchers 4 --policies jsq:2,pi --json"
    ));
    assert_eq!(several["policies"][0]["limit"]["applies"], false);
    assert_eq!(several["policies"][1]["limit"], Value::Null);
}

/// All contenders get the same jobs; what lies outside a theorem is labelled so.
#[test]
fn rivals_are_side_by_side() {
    let line = "rivals --processors 64 --lambda 0.05 --generators each --steps 400";
    let answer = json(&format!("{line} --json"));
    let rows = answer["contenders"].as_array().unwrap();
    let names: Vec<_> = rows
        .iter()
        .map(|row| row["contender"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["natural:half", "inverse", "factor:2:1", "two-choices"]
    );
    for row in &rows[1..] {
        assert_eq!(row["promise"]["applies"], true, "{row}");
    }
    assert_eq!(rows[0]["promise"], Value::Null);
    assert_eq!(filch(line), filch(&format!("{line} --threads 1")));
    let capped = json(&format!(
        "{line} --contenders natural:min(half,3),inverse --json"
    ));
    assert_eq!(capped["contenders"][0]["contender"], "natural:min(half,3)");
    let (_, crowded, _) = filch("rivals --processors 64 --lambda 0.9 --steps 400");
    assert_eq!(
        crowded.matches("outside its hypotheses").count(),
        3,
        "{crowded}"
    );
}

#[test]
fn bad_input_is_one_line() {
    for args in [
        "limit",
        "limit market",
        "limit natural",
        "limit natural --lambda 1",
        "limit natural --lambda 0.5 --steal most",
        "limit natural --lambda 0.9999 --steal const:0",
        "limit stealing --lambda 0.5 --threshold 1",
        "limit stealing --lambda 0.5 --attempts 0",
        "limit supermarket --lambda 0.5 --choices 0",
        "fleet --servers 0 --lambda 0.5",
        "fleet --servers 5 --lambda 0",
        "fleet --servers 5 --lambda 11",
        "fleet --servers 2 --lambda 0.5 --policies jsq:3",
        "fleet --servers 2 --lambda 0.5 --policies most",
        "fleet --servers 2 --lambda 0.5 --time 5 --warmup 9",
        "fleet --servers 10000000 --lambda 1 --time 1e9",
        "rivals --processors 1 --lambda 0.5",
        "rivals --processors 9 --lambda 2",
        "rivals --processors 9 --lambda 0.5 --contenders best",
        "rivals --processors 9 --lambda 0.5 --contenders factor:2",
        "rivals --processors 9 --lambda 0.5 --contenders factor:1:1",
        "rivals --processors 9 --lambda 0.5 --contenders factor:2:9",
        "rivals --processors 9 --lambda 0.5 --generators k:10",
    ] {
        let (status, stdout, stderr) = filch(args);
        assert_eq!((status, &*stdout), (Some(2), ""), "{args}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args}: {stderr}");
        assert!(stderr.starts_with("filch: "), "{args}: {stderr}");
    }
}

/// Without yields an adaptive kernel stops a computation for ever; with them it cannot.
#[test]
fn kernels_and_yields() {
    let line = "dag kernel --family fib:10 --processes 8 --kernel starve --most-steps 20000";
    let stopped = json(&format!("{line} --yields none --json"));
    assert_eq!(
        (&stopped["given_up"], &stopped["work_given_up"]),
        (&8.into(), &0.into())
    );
    assert_eq!(stopped["applies"], false);
    let answer = json(&format!("{line} --json"));
    assert_eq!(
        (&answer["given_up"], &answer["yields"]),
        (&0.into(), &"all".into())
    );
    assert!(real(&answer["time"]) >= real(&answer["lower"]));
    assert_eq!(answer["applies"], true);
    assert_eq!(filch(line), filch(&format!("{line} --threads 1")));
    let (_, stdout, _) = filch(&format!("{line} --yields none"));
    assert!(
        stdout.contains("ABP01 promises nothing without yields all"),
        "{stdout}"
    );
    for bad in [
        "--kernel best",
        "--kernel few",
        "--kernel few:0",
        "--yields some",
        "--processes 0",
    ] {
        let (status, _, stderr) = filch(&format!("dag kernel --family fib:5 --processes 2 {bad}"));
        let first = stderr.starts_with("filch: ") && stderr.lines().count() == 1;
        assert!(status == Some(2) && first, "{bad}: {stderr}");
    }
}

#[test]
fn strict_computations_have_their_bound() {
    let line =
        "dag run --family kstrict:3:6:2 --scheduler stealing --processors 4 --runs 5 --check";
    let answer = json(&format!("{line} --json"));
    assert_eq!(answer["k_strict"]["k"], 3);
    let (_, stdout, _) = filch(line);
    assert!(stdout.contains("Fatourou and Spirakis 2000"), "{stdout}");
    let fully = json("dag run --family kstrict:1:4:2 --scheduler stealing --processors 4 --json");
    assert_eq!(fully["k_strict"], Value::Null);
    let (_, stdout, _) = filch("dag measure --family kstrict:2:4:1");
    assert!(
        stdout.starts_with("kstrict:2:4:1, strict (2-strict)"),
        "{stdout}"
    );
    let (status, _, stderr) = filch("dag measure --family kstrict:5:4:1");
    assert_eq!((status, stderr.lines().count()), (Some(2), 1));
}
