//! `filch dispatch` as a user sees it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn filch(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.arg("dispatch").args(args).current_dir(folder);
    command.stdin(Stdio::null()).output().expect("filch runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("filch writes UTF-8")
}

#[track_caller]
fn json(args: &[&str], folder: &Path) -> Value {
    let output = filch(&[args, &["--json"]].concat(), folder);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "JSON and nothing else");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The one situation of a run: there is a list of them, whatever their number.
#[track_caller]
fn only(found: &Value) -> &Value {
    let situations = found["situations"].as_array().unwrap();
    assert_eq!(situations.len(), 1);
    &situations[0]
}

/// The command of the manual, and what it promises to give.
#[test]
fn policies_side_by_side() {
    let home = tempfile::tempdir().unwrap();
    let args = [
        "--servers",
        "slow=50@1,fast=50@10",
        "--load",
        "0.9",
        "--policy",
        "pi,jiq,jsq,jsq:2,jsq:1:1",
        "--split",
        "--slots",
        "4000",
        "--warmup",
        "500",
        "--seed",
        "3",
    ];
    let all = json(&args, home.path());
    assert_eq!((&all["seed"], &all["slots"]), (&3.into(), &4000.into()));
    let found = only(&all);
    assert_eq!(
        (&found["load"], &found["batches"]),
        (&0.9.into(), &"split".into())
    );
    let policies = found["policies"].as_array().unwrap();
    let names: Vec<_> = policies
        .iter()
        .map(|policy| policy["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["pi", "jiq", "jsq", "jsq:2", "jsq:1:1"]);
    for policy in policies {
        assert_eq!(policy["warmup"], 500);
        assert!(
            policy["mean_total_queue"].as_f64().unwrap() > 0.0,
            "{policy}"
        );
        let verdict = policy["verdict"].as_str().unwrap();
        assert!(["stable", "unstable", "undecided"].contains(&verdict));
        assert_eq!(policy["ci95"].is_null(), verdict == "unstable", "{policy}");
        let times = &policy["jct"];
        let quantiles = ["p50", "p90", "p99", "p999"].map(|p| times[p].as_u64().unwrap());
        assert!(quantiles.is_sorted() && quantiles[0] >= 1, "{times}");
        assert!(times["mean"].as_f64().unwrap() >= 1.0);
    }
    // JSQ asks every server in every slot.
    assert_eq!(policies[2]["messages_per_slot"], 100.0);
    // All arrivals are the same, so are the jobs.
    let jobs = |policy: &Value| {
        policy["jct"]["jobs"].as_u64().unwrap() + policy["jct"]["unfinished"].as_u64().unwrap()
    };
    assert!(
        policies
            .iter()
            .all(|policy| jobs(policy) == jobs(&policies[0]))
    );
    let differences = found["differences"].as_array().unwrap();
    assert!(
        differences
            .iter()
            .any(|pair| pair["first"] == "pi" && pair["second"] == "jsq")
    );

    let again = filch(&[&args[..], &["--json"]].concat(), home.path());
    let once_more = filch(&[&args[..], &["--json"]].concat(), home.path());
    assert_eq!(again.stdout, once_more.stdout, "the same bytes");
    let alone = json(
        &[&args[..4], &["--policy", "jsq"], &args[6..]].concat(),
        home.path(),
    );
    assert_eq!(
        only(&alone)["policies"][0],
        policies[2],
        "the same in any company"
    );
}

#[test]
fn a_table_for_people() {
    let home = tempfile::tempdir().unwrap();
    let output = filch(&["--slots", "2000", "--policy", "pi,jsq"], home.path());
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    for words in [
        "slow=50@1,fast=50@10 (100 servers): load 0.9, poisson:495, batches whole",
        "p99.9",
        "Mean queue less that of pi",
        "2000 slots, seed 1",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn loads_are_swept() {
    let home = tempfile::tempdir().unwrap();
    let args = [
        "--servers",
        "all=4@2",
        "--loads",
        "0.2:0.8:0.2",
        "--slots",
        "300",
        "--policy",
        "pi",
    ];
    let found = json(&args, home.path());
    let situations = found["situations"].as_array().unwrap();
    let loads: Vec<_> = situations
        .iter()
        .map(|one| one["load"].as_f64().unwrap())
        .collect();
    assert_eq!(loads, [0.2, 0.4, 0.6, 0.8]);
    // What a load gives does not depend on the others.
    let one = json(
        &[
            "--servers",
            "all=4@2",
            "--load",
            "0.6",
            "--slots",
            "300",
            "--policy",
            "pi",
        ],
        home.path(),
    );
    assert_eq!(only(&one)["policies"], situations[2]["policies"]);
}

const SCENARIO: &str = r#"
slots = 400
policies = ["pi", "random"]
batches = "both"
loads = [0.5]
arrivals = ["trace:batches.txt"]

[classes]
slow = "uniform:1"
odd = "table:1=3,5=1"

[[farms]]
name = "mixed"
servers = { slow = 3, odd = 2 }
"#;

#[test]
fn scenarios_and_csv() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("farm.toml"), SCENARIO).unwrap();
    fs::write(home.path().join("batches.txt"), "3\n0\n7\n").unwrap();
    let found = json(&["farm.toml", "--csv", "raw"], home.path());
    let situations = found["situations"].as_array().unwrap();
    let arrivals: Vec<_> = situations
        .iter()
        .map(|one| one["arrivals"].as_str().unwrap())
        .collect();
    assert_eq!(
        arrivals,
        [
            "poisson:3.5",
            "poisson:3.5",
            "trace:batches.txt",
            "trace:batches.txt"
        ]
    );
    assert_eq!(found["slots"], 400);

    let read = |name: &str| fs::read_to_string(home.path().join("raw").join(name)).unwrap();
    let runs = read("runs.csv");
    assert_eq!(runs.lines().count(), 1 + 4 * 2);
    assert!(
        runs.contains("\"mixed\",\"poisson:3.5\",0.5,whole,\"pi\","),
        "{runs}"
    );
    // One point a slot for so short a run.
    assert_eq!(read("queues.csv").lines().count(), 1 + 4 * 2 * 400);
    // All jobs of a run are in one of the lines of its completion times, or unfinished.
    let completions = read("completions.csv");
    let lines = completions
        .lines()
        .filter(|line| line.contains("\"trace:batches.txt\",split,\"pi\""));
    let timed: u64 = lines
        .map(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap())
        .sum();
    let pi = &situations[3]["policies"][0];
    // 3, 0 and 7 in turn over 400 slots.
    assert_eq!(
        timed + pi["jct"]["unfinished"].as_u64().unwrap(),
        133 * 10 + 3
    );
    assert_eq!(pi["jct"]["jobs"], timed);
}

#[test]
fn overload_is_asked_for_by_name() {
    let home = tempfile::tempdir().unwrap();
    let args = [
        "--servers",
        "all=4@2",
        "--load",
        "2",
        "--slots",
        "2000",
        "--allow-overload",
    ];
    let found = json(&args, home.path());
    for policy in only(&found)["policies"].as_array().unwrap() {
        assert_eq!(policy["verdict"], "unstable", "{policy}");
        assert!(policy["ci95"].is_null());
    }
}

#[test]
fn a_hundred_thousand_servers() {
    let home = tempfile::tempdir().unwrap();
    let args = [
        "--servers",
        "slow=50000@1,fast=50000@10",
        "--slots",
        "30",
        "--policy",
        "pi,jsq:2,jsq",
    ];
    let found = json(&args, home.path());
    assert_eq!(only(&found)["policies"].as_array().unwrap().len(), 3);
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| fs::write(home.path().join(name), content).unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    file("empty.toml", "\n");
    file("class.toml", &SCENARIO.replace("{ slow = 3", "{ slwo = 3"));
    file("policy.toml", &SCENARIO.replace("\"pi\"", "\"ip\""));
    file("broken.toml", "slots = 4\npolicies = [\"pi\"\n");
    file("trace.toml", &SCENARIO.replace("batches.txt", "none.txt"));
    for (args, words) in [
        (
            &["--load", "1.2"][..],
            "filch: --load: 1.2: a load is below 1",
        ),
        (
            &["--load", "nan"],
            "filch: --load: 'nan' is no number: use one such as 0.9\n",
        ),
        (&["--load", "0"], "filch: --load: 0: a load is above 0"),
        (
            &["--load", "0", "--allow-overload"],
            "filch: --load: 0: a load is above 0",
        ),
        (
            &["--loads", "0.1:0.2"],
            "filch: --loads: '0.1:0.2' is not of the form FROM:TO:STEP",
        ),
        (
            &["--policy", "jqs"],
            "filch: --policy: unknown dispatch policy 'jqs'",
        ),
        (
            &["--policy", ""],
            "filch: --policy: unknown dispatch policy ''",
        ),
        (
            &["--servers", "slow=0@1"],
            "filch: --servers: 'slow=0@1': a farm needs at least one server",
        ),
        (&["--servers", ""], "filch: --servers: '' has no '='"),
        (&["--servers", "slow=5@x:1"], "unknown capacity 'x:1'"),
        (
            &["--servers", "a=1@1", "--policy", "jsq:2"],
            "filch: --policy: policy 'jsq:2' needs at least 2 servers",
        ),
        (
            &["--slots", "0"],
            "filch: --slots: '0' is not a whole number from 1 to 2147483647",
        ),
        (
            &["--slots", "9", "--warmup", "9"],
            "filch: --slots 9 leaves nothing to count",
        ),
        (
            &["--slots", "x"],
            "filch: --slots: 'x' is not a whole number",
        ),
        (
            &["--slots", "3000000000"],
            "filch: --slots: '3000000000' is not a whole number from 1 to 2147483647",
        ),
        (&["--split", "--whole"], "cannot be used with"),
        (&["class.toml", "--load", "0.5"], "cannot be used with"),
        (
            &["none.toml"],
            "filch: cannot read the scenario file 'none.toml'",
        ),
        (
            &["empty.toml"],
            "filch: the scenario file 'empty.toml' is empty",
        ),
        (
            &["class.toml"],
            "filch: class.toml, line 14: farms.servers: unknown class 'slwo': use one of slow, odd",
        ),
        (
            &["policy.toml"],
            "filch: policy.toml, line 3: policies: unknown dispatch policy 'ip'",
        ),
        (&["broken.toml"], "filch: broken.toml, line "),
        (&["trace.toml"], "cannot read the trace none.txt"),
        (&["--csv", ""], "a value is required for '--csv <DIR>'"),
        (&["/dev/zero"], "cannot read the scenario file '/dev/zero'"),
        (&["folder"], "cannot read the scenario file 'folder'"),
    ] {
        let output = filch(args, home.path());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(text(&output.stdout), "");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}

/// What is typed counts more than the file, also if it is what would be used without either.
#[test]
fn a_typed_seed_wins() {
    let home = tempfile::tempdir().unwrap();
    let scenario = SCENARIO.replace("arrivals = [\"trace:batches.txt\"]", "seed = 7");
    fs::write(home.path().join("s7.toml"), scenario).unwrap();
    for (args, seed) in [
        (&["s7.toml"][..], 7),
        (&["s7.toml", "--seed", "1"], 1),
        (&["s7.toml", "--seed", "2"], 2),
        (&["--slots", "9"], 1),
    ] {
        assert_eq!(json(args, home.path())["seed"], seed, "{args:?}");
    }
}

/// A capacity as 'filch policies' lists it has commas of its own.
#[test]
fn tables_can_be_typed() {
    let home = tempfile::tempdir().unwrap();
    let args = [
        "--servers",
        "a=5@table:1=1,2=3,b=1@4",
        "--slots",
        "100",
        "--policy",
        "pi",
    ];
    let found = json(&args, home.path());
    assert_eq!(only(&found)["servers"], "a=5@table:1=1,2=3,b=1@4");
    // 0.9 · (5 · 1.75 + 4).
    assert_eq!(only(&found)["arrivals"], "poisson:11.475000000000001");
}

/// Names of farms and classes come from files.
#[test]
fn names_are_escaped() {
    let home = tempfile::tempdir().unwrap();
    let scenario = SCENARIO.replace("arrivals = [\"trace:batches.txt\"]", "");
    let scenario = scenario.replace("\"mixed\"", "\"m\\u001b[2J\\nx\"");
    fs::write(home.path().join("farm.toml"), scenario).unwrap();
    let page = text(&filch(&["farm.toml"], home.path()).stdout);
    assert!(page.contains(r"m\u{1b}[2J\nx (5 servers)"), "{page}");
}
