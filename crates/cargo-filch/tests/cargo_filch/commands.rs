//! Cargo's commands on our core: the program runs on it, and nothing of the user's changes.

use std::fs;
use std::process::Command;

use crate::support::{Program, RAYON, one_line, stderr, stdout, target};

#[test]
fn a_program_runs_on_our_core_and_keeps_its_files() {
    let program = Program::new("run", RAYON);
    let lock = program.read("Cargo.lock");
    let manifest = program.read("Cargo.toml");
    let changed = fs::metadata(program.lock_file())
        .unwrap()
        .modified()
        .unwrap();

    // From a folder below, with arguments behind `--`.
    let mut command = program.command(&["run", "--", "exit", "7"]);
    let output = command
        .current_dir(program.path().join("src"))
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "499500 exit 7\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(7));

    let binary = fs::read(target().join("filch/debug").join(&program.name)).unwrap();
    let ours = b"filch::scheduler";
    assert!(binary.windows(ours.len()).any(|bytes| bytes == ours));
    assert_eq!(program.read("Cargo.lock"), lock);
    assert_eq!(program.read("Cargo.toml"), manifest);
    assert_eq!(
        fs::metadata(program.lock_file())
            .unwrap()
            .modified()
            .unwrap(),
        changed
    );
    let entries = fs::read_dir(program.path()).unwrap().count();
    assert_eq!(entries, 3, "Cargo.toml, Cargo.lock and src");
}

#[test]
fn a_program_without_a_lock_file_gets_none() {
    let program = Program::without_lock_file("no-lock", RAYON);
    let manifest = program.path().join("Cargo.toml");
    let output = program.filch(&["test", "--manifest-path", manifest.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 passed"));
    assert!(!program.lock_file().exists());
}

#[test]
fn locked_and_frozen_are_about_the_users_lock_file() {
    let program = Program::new("locked", RAYON);
    let lock = program.read("Cargo.lock");
    let output = program.filch(&["run", "--quiet", "--locked"]);
    assert_eq!(stdout(&output), "499500 \n", "{}", stderr(&output));
    let output = program.filch(&["run", "--quiet", "--frozen"]);
    assert_eq!(stdout(&output), "499500 \n", "{}", stderr(&output));

    let outdated = lock.replace("0.1.0", "0.0.9");
    program.write("Cargo.lock", &outdated);
    let output = program.filch(&["run", "--quiet", "--locked"]);
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    assert!(stderr(&output).contains("--locked"), "{}", stderr(&output));
    assert_eq!(program.read("Cargo.lock"), outdated);
}

#[test]
fn a_build_that_fails_leaves_the_lock_file() {
    let program = Program::new("failing", RAYON);
    let lock = program.read("Cargo.lock");
    program.write("src/main.rs", "fn main() { not_there() }");
    let output = program.filch(&["check"]);
    assert_eq!(output.status.code(), Some(101));
    assert!(stderr(&output).contains("E0425"), "{}", stderr(&output));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn warnings_of_the_core_are_not_the_users() {
    let program = Program::new("warnings", RAYON);
    let output = program
        .command(&["check"])
        .env("RUSTFLAGS", "-D warnings")
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn features_and_packages_of_a_workspace_are_passed_on() {
    let program = Program::without_lock_file("workspace", RAYON);
    let name = program.name.clone();
    let root = "[workspace]\nresolver = \"3\"\nmembers = [\"with\", \"plain\"]\n";
    let with = program.read("Cargo.toml").replace("[workspace]\n", "");
    program.write("with/Cargo.toml", &with);
    let source = "#[cfg(feature = \"broken\")]\ncompile_error!(\"broken\");\n";
    program.write(
        "with/src/main.rs",
        &format!("{source}{}", program.read("src/main.rs")),
    );
    let plain = with.replace(RAYON, "").replace(&name, "filch-test-plain");
    program.write("plain/Cargo.toml", &plain);
    program.write("plain/src/main.rs", "fn main() {}");
    program.write("Cargo.toml", root);

    let output = program.filch(&["run", "-p", &name]);
    assert_eq!(stdout(&output), "499500 \n", "{}", stderr(&output));
    let output = program.filch(&["build", "-p", &name, "--features", "broken"]);
    assert!(
        stderr(&output).contains("error: broken"),
        "{}",
        stderr(&output)
    );

    let output = program.filch(&["run", "-p", "filch-test-misspelt"]);
    assert_eq!(output.status.code(), Some(101));
    let said = stderr(&output);
    assert!(said.contains("`filch-test-misspelt` not found"), "{said}");

    for words in [&["build", "-p", "filch-test-plain"][..], &["build"]] {
        let mut command = program.command(words);
        command.current_dir(program.path().join("plain"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(one_line(&output).contains("does not use rayon"));
    }
    assert!(!program.lock_file().exists());
}

#[test]
fn a_program_without_rayon_is_told_so() {
    let program = Program::new("plain", "");
    let lock = program.read("Cargo.lock");
    let output = program.filch(&["run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("does not use rayon"));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn a_program_that_insists_on_an_older_core_is_told_so() {
    let program = Program::new("older", "rayon-core = \"=1.12.1\"\n");
    let lock = program.read("Cargo.lock");
    let output = program.filch(&["build"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(one_line(&output).contains("rayon-core 1.12.1"));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn a_program_with_a_core_of_its_own_is_told_so() {
    let program = Program::without_lock_file("own", "rayon-core = { path = \"own\" }\n");
    program.write(
        "own/Cargo.toml",
        "[package]\nname = \"rayon-core\"\nversion = \"1.13.0\"\nedition = \"2024\"\n",
    );
    program.write("own/src/lib.rs", "");
    let output = program.filch(&["build"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(one_line(&output).contains("rayon-core of its own"));
}

#[test]
fn where_the_cores_dependencies_are_missing_it_is_said() {
    let program = Program::new("vendored", RAYON);
    let lock = program.read("Cargo.lock");
    let mut vendor = Command::new(env!("CARGO"));
    vendor.arg("vendor").current_dir(program.path());
    let output = vendor.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    program.write(".cargo/config.toml", &stdout(&output));
    let output = program.filch(&["build"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(one_line(&output).contains("rand_xoshiro"));
    assert_eq!(program.read("Cargo.lock"), lock);
}

#[test]
fn what_is_no_command_is_one_line() {
    let program = Program::new("words", RAYON);
    let output = program.filch(&["publish"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("use run, test"));
    let output = program.filch(&["--help"]);
    assert!(output.status.success() && stdout(&output).contains("Usage: cargo filch"));
    let output = program.filch(&["--version"]);
    assert_eq!(
        stdout(&output),
        concat!("cargo-filch ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn without_a_package_cargo_says_so() {
    let program = Program::new("nowhere", RAYON);
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = program.command(&["run"]);
    let output = command.current_dir(elsewhere.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    assert!(
        stderr(&output).contains("Cargo.toml"),
        "{}",
        stderr(&output)
    );
}
