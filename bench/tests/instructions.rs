//! The program `instructions`, with callgrind if it is installed.

use std::process::{Command, Output};

const LACKING: &str = "valgrind does not start";

fn instructions(prepare: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_instructions"));
    command.args(["--program", "fib", "--runtime", "filch"]);
    prepare(&mut command);
    command.output().expect("the program starts")
}

#[test]
fn a_row_counts_serial_and_what_is_beyond_it() {
    let output = instructions(|_| ());
    let said = String::from_utf8_lossy(&output.stderr);
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert_eq!(output.status.code(), Some(1));
        assert!(said.contains(LACKING), "{said}");
        return;
    }
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("| forks per node | serial | filch |\n"),
        "{text}"
    );
    let row = text.lines().find(|line| line.starts_with("| fib(21)"));
    let cells: Vec<_> = row.expect("a row").trim_matches('|').split('|').collect();
    let [_, nodes, forks, serial, filch] = cells[..] else {
        panic!("{cells:?}");
    };
    assert_eq!((nodes.trim(), forks.trim()), ("17710", "1.00"));
    let serial: f64 = serial.trim().parse().expect("a number");
    let beyond: f64 = filch.trim().parse().expect("a number");
    // A call is a few instructions, in any build, and a fork is more than a call.
    assert!(serial > 4.0 && beyond > 0.0, "{text}");
    assert!(filch.trim().starts_with('+'), "{text}");
}

#[test]
fn without_valgrind_it_says_what_is_lacking() {
    let output = instructions(|command| _ = command.env("PATH", ""));
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).starts_with(LACKING));
}

#[test]
fn unknown_names_are_refused_with_those_there_are() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_instructions"));
    let output = command
        .args(["--program", "sorting"])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("fib, tree, unbalanced, branching"), "{said}");
}
