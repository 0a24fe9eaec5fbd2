//! The program `proxies`, on what every machine has: filch and tower on hyper.

use std::process::{Command, Output};

fn proxies(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proxies"))
        .args(args)
        .output()
        .expect("the program runs")
}

#[test]
fn bad_arguments_are_explained() {
    for (args, message) in [
        (
            &["--load", "1.5"][..],
            "--load 1.5: use numbers between 0 and 1",
        ),
        (
            &["--arrivals", "bursts"],
            "[possible values: poisson, batches]",
        ),
        (&["--balancer", "envoy"], "no balancer is called 'envoy'"),
        (
            &["--seconds", "0"],
            "--seconds and --most-open take numbers from 1",
        ),
        (
            &["--simulate", "--policy", "sod"],
            "unknown dispatch policy 'sod'",
        ),
    ] {
        let output = proxies(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(message), "{args:?}: {said}");
    }
}

/// At 80 % no policy leaves a server that has recovered or is warm without a request for 2 s. Seed
/// 32 is one where eight dispatchers of `sed` all take the server that was cold for a slow one.
/// They would leave it for 2.6 s, were their probes spent on servers that other dispatchers use.
#[test]
fn no_policy_starves_a_server_that_has_recovered() {
    let matches = [
        ("cold start", "jsq,pi,sed,idle-fastest(sed),considerate"),
        ("slow-spell, 80 %", "sed,considerate"),
    ];
    for (scenario, policies) in matches {
        let common = "--tournament --seed 32 --json";
        let mut args: Vec<_> = common.split(' ').collect();
        args.extend(["--scenario", scenario, "--policy", policies]);
        let output = proxies(&args);
        assert!(output.status.success());
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let cells = said["tournament"].as_array().unwrap();
        assert_eq!(cells.len(), 3 * policies.split(',').count());
        for cell in cells {
            let without = cell["without"].as_f64().unwrap();
            assert!(0.0 < without && without < 2.0, "{cell}");
        }
    }
}

/// A second through each: every request of the plan is answered, by one, two or eight dispatchers.
#[test]
fn every_request_is_answered() {
    let common = "--load 0.3 --seconds 1 --warm-up 0 --json";
    let mut args: Vec<_> = common.split(' ').collect();
    for balancer in ["filch pi", "tower", "filch considerate, 8"] {
        args.extend(["--balancer", balancer]);
    }
    let output = proxies(&args);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = said["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "three balancers, two kinds of arrivals");
    for pair in rows.chunks(3) {
        let count = |row: &serde_json::Value, field: &str| row[field].as_u64().unwrap();
        let all = |row| {
            ["answered", "excluded"]
                .map(|field| count(row, field))
                .iter()
                .sum::<u64>()
        };
        assert!(all(&pair[0]) > 0);
        for row in pair {
            assert_eq!(
                (count(row, "failed"), count(row, "timed_out")),
                (0, 0),
                "{row}"
            );
            let sent = all(row) + count(row, "unfinished");
            assert_eq!(
                sent,
                all(&pair[0]) + count(&pair[0], "unfinished"),
                "the same arrivals"
            );
        }
    }
}

#[test]
fn simulations_are_repeatable() {
    let run = || {
        let args =
            "--simulate --seconds 20 --policy jsq,considerate --load 0.8 --arrivals poisson --json";
        let output = proxies(&args.split(' ').collect::<Vec<_>>());
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(run(), run());
}
