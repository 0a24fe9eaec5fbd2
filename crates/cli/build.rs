//! Tells `filch --version` which commit is built.
//!
//! There is no time of the build in it: the same commit gives the same program. A build for
//! development does not name its commit, so that a commit does not compile the program anew.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo names the folder");
    let folder = Path::new(&folder);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FILCH_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").expect("cargo tells the version");
    let build = if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        "development build".to_owned()
    } else {
        commit(folder).map_or_else(
            || "built without git: commit unknown".to_owned(),
            |commit| format!("commit {commit}"),
        )
    };
    println!("cargo::rustc-env=FILCH_VERSION={version} ({build})");
}

/// The beginning of the commit's number.
fn commit(folder: &Path) -> Option<String> {
    let told = env::var("FILCH_COMMIT").ok();
    let commit = told
        .or_else(|| packaged(folder))
        .or_else(|| checked_out(folder))?;
    let commit: String = commit.trim().chars().take(12).collect();
    (!commit.is_empty()).then_some(commit)
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
