//! Small programs in folders of their own, and `cargo filch` called there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use tempfile::TempDir;

/// The manifest's dependencies of a program with rayon.
pub(crate) const RAYON: &str = "rayon = \"1.11\"\n";

/// A program that sums in parallel, then does what its first argument says.
const SOURCE: &str = r#"
use rayon::prelude::*;

fn main() {
    let sum: u64 = (0..1000u64).into_par_iter().sum();
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("{sum} {}", words.join(" "));
    match words.first().map(String::as_str) {
        Some("exit") => std::process::exit(words[1].parse().unwrap()),
        Some("abort") => std::process::abort(),
        // Until the file that the test has written is gone.
        Some("wait") => while std::path::Path::new(&words[1]).exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        },
        _ => {}
    }
}

#[test]
fn sums() {
    assert_eq!((0..10u64).into_par_iter().sum::<u64>(), 45);
}
"#;

/// A package of its own. All of them share a target folder, so that rayon is built once; so each
/// needs a name of its own.
pub(crate) struct Program {
    folder: TempDir,
    pub(crate) name: String,
}

impl Program {
    /// A package with these dependencies, and a lock file.
    pub(crate) fn new(name: &str, dependencies: &str) -> Self {
        let program = Self::without_lock_file(name, dependencies);
        let mut lock = Command::new(env!("CARGO"));
        lock.args(["generate-lockfile", "--quiet"])
            .current_dir(program.path());
        assert!(lock.status().unwrap().success());
        program
    }

    pub(crate) fn without_lock_file(name: &str, dependencies: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("filch-test-{name}");
        let program = Self { folder, name };
        program.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                 [features]\nbroken = []\n[dependencies]\n{dependencies}[workspace]\n",
                program.name
            ),
        );
        program.write("src/main.rs", SOURCE);
        program
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.path().join("Cargo.lock")
    }

    /// `cargo filch` with these words, in the package's folder.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-filch"));
        command.arg("filch").args(words).current_dir(self.path());
        command
            .env("CARGO", env!("CARGO"))
            .env("CARGO_TARGET_DIR", target());
        command.env_remove("RUSTFLAGS").stdin(Stdio::null());
        command
    }

    pub(crate) fn filch(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Starts it in a group of its own, as a shell does.
    #[cfg(unix)]
    pub(crate) fn start(&self, words: &[&str]) -> Child {
        use std::os::unix::process::CommandExt as _;
        let mut command = self.command(words);
        command
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

/// The target folder of all tests: it stays, so that the next run is quick.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What standard error has to say, which is one line of ours.
pub(crate) fn one_line(output: &Output) -> String {
    let text = stderr(output);
    assert!(
        text.starts_with("cargo filch: ") && text.trim_end().lines().count() == 1,
        "{text}"
    );
    text
}

/// Waits until something is so. It is only a matter of time; the limit is for what never is.
pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(300), "not so: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
