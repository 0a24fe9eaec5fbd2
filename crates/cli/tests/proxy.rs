//! `filch proxy` as a user meets it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

fn filch(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.args(args).stdin(Stdio::null());
    command
}

#[test]
fn the_demo_ends_by_itself_and_loses_nothing() {
    let args = [
        "proxy",
        "demo",
        "--seconds",
        "1",
        "--load",
        "0.3",
        "--dispatchers",
        "2",
        "--json",
    ];
    let args = [&args[..], &["--policy", "jsq,idle-fastest(sed)"]].concat();
    let output = filch(&args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "one JSON object and nothing else");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["dispatchers"], &result["interrupted"]),
        (&2.into(), &false.into())
    );
    let policies = result["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 2);
    for policy in policies {
        let count = |field: &str| policy[field].as_u64().unwrap();
        // 165 requests are expected in that second; 50 fewer is a matter of 4 standard deviations.
        // Those that began around a stall of the machine do not count.
        let sent = count("answered") + count("unfinished") + count("excluded");
        assert!((115..215).contains(&sent), "{policy}");
        assert_eq!((count("failed"), count("unfinished")), (0, 0), "{policy}");
    }
}

#[test]
fn what_needs_the_proxy_says_so() {
    for option in ["--config", "--check"] {
        let output = filch(&["proxy", option, "no.toml"]).output().unwrap();
        if cfg!(all(feature = "proxy", unix)) {
            continue;
        }
        assert_eq!(output.status.code(), Some(1));
        let line = String::from_utf8(output.stderr).unwrap();
        let expected = format!(
            "filch: proxy {option} no.toml: built without the proxy: build with 'cargo build --release' on Linux or \
             another Unix, or try 'filch proxy demo'\n"
        );
        assert_eq!(line, expected);
    }
}

/// Ctrl-C ends the demo with the table so far and no complaint.
#[test]
#[cfg(unix)]
fn the_demo_can_be_ended() {
    let args = [
        "proxy",
        "demo",
        "--seconds",
        "600",
        "--load",
        "0.2",
        "--policy",
        "jsq",
    ];
    let mut demo = filch(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its first words, of which it says more later: it is running by then.
    let mut words = BufReader::new(demo.stderr.take().unwrap());
    let mut head = String::new();
    words.read_line(&mut head).unwrap();
    words.read_line(&mut head).unwrap();
    let pid = demo.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let mut table = String::new();
    demo.stdout
        .take()
        .unwrap()
        .read_to_string(&mut table)
        .unwrap();
    assert!(demo.wait().unwrap().success());
    assert!(head.contains("load 20 %") && head.contains("jsq"), "{head}");
    let row = table.lines().nth(1).unwrap();
    let answered: u64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(row.starts_with("jsq ") && answered > 0, "{table}");
    assert!(table.contains("ended early; seed 1"), "{table}");
}
