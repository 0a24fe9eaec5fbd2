//! Tells the program which versions it was built from: the peers' from the lock file, the
//! compiler's from the compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The packages whose versions the table prints.
const PEERS: [&str; 7] = [
    "filch",
    "rayon",
    "chili",
    "forte",
    "bevy_tasks",
    "threadpool",
    "rusty_pool",
];

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let lock = lock_file(Path::new(&manifest)).expect("a Cargo.lock beside or above the manifest");
    let text = fs::read_to_string(&lock).expect("a readable Cargo.lock");
    for peer in PEERS {
        let version = locked_version(&text, peer).unwrap_or_default();
        println!(
            "cargo::rustc-env=BENCH_VERSION_{}={version}",
            peer.to_uppercase()
        );
    }
    println!("cargo::rustc-env=BENCH_RUSTC={}", rustc_version());
    println!("cargo::rerun-if-changed={}", lock.display());
}

fn lock_file(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .map(|folder| folder.join("Cargo.lock"))
        .find(|file| file.is_file())
}

/// The version in the `[[package]]` table whose name is `package`.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines
        .nth(1)?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

fn rustc_version() -> String {
    let rustc = env::var("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
