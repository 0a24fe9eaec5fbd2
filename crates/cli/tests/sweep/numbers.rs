//! Rows have the numbers of the commands, as precise as was asked for.

use super::*;

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
