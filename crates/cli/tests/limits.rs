//! What a machine has too little of is told in one line before it is asked for.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

const FILCH: &str = env!("CARGO_BIN_EXE_filch");

/// Runs filch with at most so many KiB of address space.
fn limited(kib: u64, args: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = Command::new("bash")
        .args([
            "-c",
            &format!("ulimit -v {kib}; exec \"$@\""),
            "bash",
            FILCH,
        ])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Gigabytes that are not there, in every command that could ask for them.
#[test]
fn memory_is_checked_before_it_is_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let scenario = |name: &str, slow: u64| {
        let text = format!(
            "slots = 1\npolicies = [\"pi\"]\nloads = [0.5]\n[classes]\nslow = \"1\"\n\
             [[farms]]\nservers = {{ slow = {slow} }}\n"
        );
        fs::write(home.path().join(name), text).unwrap();
    };
    scenario("large.toml", 4_000_000_000);
    for line in [
        "natural --processors 2147483647 --lambda 0.5 --steps 1 --replications 1",
        "natural --processors 200000000 --lambda 0.5 --steps 1 --generators zipf:1",
        "natural --processors 4 --lambda 0.5 --replications 1048576",
        "dispatch --servers a=1000000000@1 --slots 1",
        "dispatch --servers a=10@1 --loads 0.0001:0.9999:0.0001 --policy pi,jiq,jsq,jsq:2,random",
        "dispatch large.toml",
        "dag run --family fib:5 --scheduler stealing --processors 100000000",
        "dag run --family comb:100000000 --scheduler busy-leaves --processors 1",
        "dag export --family fib:30",
    ] {
        let args: Vec<_> = line.split_whitespace().collect();
        let (code, stdout, stderr) = limited(2_000_000, &args, home.path());
        assert_eq!(code, Some(2), "{line}: {stderr}");
        assert_eq!(
            (stdout.as_str(), stderr.lines().count()),
            ("", 1),
            "{line}: {stderr}"
        );
        assert!(stderr.contains("of memory"), "{line}: {stderr}");
    }
}

/// The same commands, smaller, fit into the same memory.
#[test]
fn what_fits_is_run() {
    let home = tempfile::tempdir().unwrap();
    for line in [
        "natural --processors 20000000 --lambda 0.5 --steps 1 --replications 1",
        "natural --processors 5000000 --lambda 0.5 --steps 1 --replications 2 --generators zipf:1",
        "theory natural --processors 2147483647 --lambda 0.9 --generators zipf:0",
        "dispatch --servers a=1000000@1 --slots 1 --policy jsq",
        "dag run --family fib:5 --scheduler greedy --processors 1000000",
    ] {
        let args: Vec<_> = line.split_whitespace().collect();
        let (code, _, stderr) = limited(2_000_000, &args, home.path());
        assert_eq!((code, &*stderr), (Some(0), ""), "{line}");
    }
}

/// Threads may be too many for the system, and are told so.
#[test]
fn threads_that_cannot_be_had() {
    let home = tempfile::tempdir().unwrap();
    let line = "natural --processors 4 --lambda 0.5 --steps 10 --threads 1024";
    let args: Vec<_> = line.split_whitespace().collect();
    let (code, _, stderr) = limited(1_000_000, &args, home.path());
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.starts_with("filch: --threads 1024: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

/// The number of threads is said by an argument or by the environment, and does not show.
#[test]
fn any_number_of_threads() {
    let run = |variable: Option<&str>, line: &str| {
        let mut command = Command::new(FILCH);
        command
            .env_remove("FILCH_NUM_THREADS")
            .args(line.split_whitespace());
        if let Some(value) = variable {
            command.env("FILCH_NUM_THREADS", value);
        }
        let output = command.output().unwrap();
        (
            output.status.code(),
            output.stdout,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for line in [
        "natural --processors 50 --lambda 0.8 --steps 500 --json",
        "dispatch --slots 300 --json",
        "dag run --family fib:12 --scheduler stealing --processors 4 --runs 9 --json",
    ] {
        let one = run(None, &format!("{line} --threads 1"));
        assert_eq!((one.0, &*one.2), (Some(0), ""));
        assert_eq!(one, run(None, &format!("{line} --threads 3")));
        assert_eq!(one, run(Some("2"), line));
        for bad in ["abc", "0", "-1", ""] {
            let (code, _, stderr) = run(Some(bad), line);
            let expected =
                format!("filch: FILCH_NUM_THREADS: '{bad}' is not a whole number from 1 to 1024\n");
            assert_eq!((code, stderr), (Some(2), expected));
        }
        // An argument counts more than the environment.
        assert_eq!(one, run(Some("abc"), &format!("{line} --threads 2")));
    }
}

/// What a user types may be of any length; a line is not.
#[test]
fn a_long_name_is_not_echoed_whole() {
    let home = tempfile::tempdir().unwrap();
    let name = "idle(".repeat(20_000);
    for args in [&["policies", &*name][..], &["dispatch", "--policy", &*name]] {
        let (code, _, stderr) = limited(8_000_000, args, home.path());
        assert_eq!(code, Some(2));
        assert!(stderr.len() < 1000, "{}", stderr.len());
    }
}

/// Names are offered where names are typed.
#[test]
fn completions_offer_policies() {
    let home = tempfile::tempdir().unwrap();
    let (code, script, _) = limited(8_000_000, &["completions", "bash"], home.path());
    assert_eq!(code, Some(0));
    let (_, policy) = script.split_once("--policy)").unwrap();
    let offered = policy.lines().nth(1).unwrap();
    assert!(
        offered.contains("round-robin") && !offered.contains("compgen -f"),
        "{offered}"
    );
}
