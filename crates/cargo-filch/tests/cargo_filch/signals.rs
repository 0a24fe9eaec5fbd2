//! The user's lock file comes back, whatever ends the command.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command};

use crate::support::{Program, RAYON, eventually, stderr, stdout};

/// A build script that says that it runs, and then waits until its file is gone.
const BUILD_SCRIPT: &str = r#"
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    std::fs::write("building", "").unwrap();
    while std::path::Path::new("building").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
"#;

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// A signal while the program is built: returns what the lock file was, and the program.
fn interrupted(name: &str, signal: &str, number: i32) -> (String, Program) {
    let program = Program::new(name, RAYON);
    program.write("build.rs", BUILD_SCRIPT);
    let lock = program.read("Cargo.lock");
    let mut child = program.start(&["build"]);
    let building = program.path().join("building");
    eventually("the program is built", || building.exists());
    send(signal, &child);
    assert_eq!(child.wait().unwrap().signal(), Some(number));
    // The build script ends too.
    fs::remove_file(building).unwrap();
    (lock, program)
}

#[test]
fn ctrl_c_puts_the_lock_file_back() {
    let (lock, program) = interrupted("ctrl-c", "-INT", 2);
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn sigterm_puts_the_lock_file_back() {
    let (lock, program) = interrupted("sigterm", "-TERM", 15);
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn after_sigkill_the_next_command_puts_the_lock_file_back() {
    let (lock, program) = interrupted("sigkill", "-KILL", 9);
    fs::remove_file(program.path().join("build.rs")).unwrap();
    let output = program.filch(&["run", "--quiet"]);
    assert_eq!(stdout(&output), "499500 \n", "{}", stderr(&output));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn a_program_that_is_ended_by_a_signal_ends_us_by_it() {
    let program = Program::new("abort", RAYON);
    let output = program.filch(&["run", "--", "abort"]);
    assert_eq!(output.status.signal(), Some(6), "{}", stderr(&output));
}

/// Where it can be seen that cargo has become the program.
#[cfg(target_os = "linux")]
#[test]
fn the_lock_file_is_back_while_the_program_runs_and_another_may_start() {
    let program = Program::new("server", RAYON);
    let lock = program.read("Cargo.lock");
    program.write("running", "");
    let first = program.filch(&["build"]);
    assert!(first.status.success(), "{}", stderr(&first));
    let mut server = program.start(&["run", "--", "wait", "running"]);
    let output = program.filch(&["run", "--quiet", "--", "second"]);
    assert_eq!(stdout(&output), "499500 second\n", "{}", stderr(&output));
    eventually("the lock file is back", || {
        program.read("Cargo.lock") == lock
    });
    assert_eq!(server.try_wait().unwrap(), None);
    send("-TERM", &server);
    assert_eq!(server.wait().unwrap().signal(), Some(15));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn two_at_once_leave_the_lock_file_as_it_was() {
    let program = Program::new("two", RAYON);
    let lock = program.read("Cargo.lock");
    let mut children = [program.start(&["build"]), program.start(&["check"])];
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(program.read("Cargo.lock"), lock);
}
