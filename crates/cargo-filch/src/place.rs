//! Where the user's program is, and where ours are kept.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::args::Known;
use crate::cargo::Cargo;
use crate::failure::Failure;

/// The workspace of the user's program.
pub(crate) struct Place {
    /// The manifest of the workspace.
    pub(crate) manifest: PathBuf,
    /// Its lock file, which need not exist.
    pub(crate) lock_file: PathBuf,
    /// Everything that `cargo filch` keeps, in cargo's target folder. It is the target folder of
    /// its builds too: a program that the user has built stays what it was.
    pub(crate) home: PathBuf,
    packages: Option<Vec<String>>,
}

/// What `cargo metadata --no-deps` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    #[serde(default)]
    workspace_default_members: Vec<String>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
}

impl Place {
    /// Asks cargo.
    pub(crate) fn find(cargo: &Cargo, known: &Known) -> Result<Self, Failure> {
        let mut call = cargo.call("metadata");
        let metadata = cargo.ask(call.args(["--no-deps", "--format-version", "1"]))?;
        let metadata: Metadata = serde_json::from_str(&metadata)
            .map_err(|error| Failure::run(format!("cargo metadata makes no sense: {error}")))?;
        let mut call = cargo.call("locate-project");
        let manifest = cargo.ask(call.args(["--message-format", "plain"]))?;
        let target = match &known.target_dir {
            Some(folder) => std::path::absolute(folder)
                .map_err(|error| Failure::usage(format!("--target-dir: {error}")))?,
            None => metadata.target_directory.clone(),
        };
        Ok(Self {
            manifest: metadata.workspace_root.join("Cargo.toml"),
            lock_file: metadata.workspace_root.join("Cargo.lock"),
            home: target.join("filch"),
            packages: metadata.chosen(known, Path::new(manifest.trim_end())),
        })
    }

    /// What is kept of this workspace's lock file. Several workspaces may share a target folder.
    pub(crate) fn lock_folder(&self) -> PathBuf {
        let hash = Sha256::digest(self.lock_file.as_os_str().as_encoded_bytes());
        let name: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.home.join("lock").join(name)
    }

    /// The names of the packages that a command is about, unless it is about all.
    pub(crate) fn packages(&self) -> Option<&[String]> {
        self.packages.as_deref()
    }
}

impl Metadata {
    /// The packages that a command is about: those that it names, otherwise the one whose folder
    /// it is given in, otherwise what the workspace says.
    fn chosen(self, known: &Known, manifest: &Path) -> Option<Vec<String>> {
        let has_pattern = |name: &String| name.contains(['*', '?', '[']);
        if known.whole_workspace || known.packages.iter().any(has_pattern) {
            return None;
        }
        if !known.packages.is_empty() {
            return Some(known.packages.iter().map(|spec| name_of(spec)).collect());
        }
        let here = self
            .packages
            .iter()
            .find(|package| package.manifest_path == manifest);
        if let Some(package) = here {
            return Some(vec![package.name.clone()]);
        }
        let is_default = |package: &&Package| self.workspace_default_members.contains(&package.id);
        let names = self.packages.iter().filter(is_default);
        let names: Vec<String> = names.map(|package| package.name.clone()).collect();
        (!names.is_empty()).then_some(names)
    }
}

/// The name in a package specification: `name`, `name@version`, `url#name@version`.
fn name_of(spec: &str) -> String {
    let name = spec.rsplit('#').next().unwrap_or(spec);
    let name = name.split(['@', ':']).next().unwrap_or(name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_specifications() {
        for spec in ["a-b", "a-b@1.0.0", "path+file:///x#a-b@1.0.0"] {
            assert_eq!(name_of(spec), "a-b");
        }
    }
}
