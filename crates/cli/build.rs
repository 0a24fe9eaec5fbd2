//! Tells `filch --version` which commit is built.
//!
//! There is no time of the build in it: the same commit gives the same program.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo names the folder");
    let folder = Path::new(&folder);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FILCH_COMMIT");
    let commit = env::var("FILCH_COMMIT")
        .ok()
        .or_else(|| packaged(folder))
        .or_else(|| checked_out(folder));
    let commit = commit.map(|commit| commit.trim().chars().take(12).collect::<String>());
    let known = commit.filter(|commit| !commit.is_empty());
    let version = env::var("CARGO_PKG_VERSION").expect("cargo tells the version");
    let version = match known {
        Some(commit) => format!("{version} (commit {commit})"),
        None => format!("{version} (built without git: commit unknown)"),
    };
    println!("cargo::rustc-env=FILCH_VERSION={version}");
}

/// The commit that `cargo package` has written into a published package.
fn packaged(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit that is checked out here, if this folder belongs to filch's own repository.
fn checked_out(folder: &Path) -> Option<String> {
    git(folder, &["ls-files", "--error-unmatch", "build.rs"])?;
    // Both are files that a commit or a checkout writes.
    for name in ["HEAD", "logs/HEAD"] {
        let file = git(folder, &["rev-parse", "--git-path", name])?;
        let file = folder.join(file.trim());
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    git(folder, &["rev-parse", "HEAD"])
}

fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(words)
        .current_dir(folder)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
