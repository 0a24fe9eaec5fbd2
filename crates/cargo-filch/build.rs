//! Packs the sources of the core into the program: `rayon-core` and every package of the workspace
//! that it needs, with manifests that stand alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

#[path = "build/manifest.rs"]
mod manifest;

use manifest::{Manifest, Workspace};

/// The package at which the core begins.
const FIRST: &str = "rayon-core";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let crates = fs::canonicalize("..").expect("the folder of the workspace's crates");
    let workspace = Workspace::read(&crates.join("../Cargo.toml"));
    println!("cargo::rerun-if-changed=../../Cargo.toml");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");

    let mut files = BTreeMap::new();
    let mut version = String::new();
    let mut packages = vec![FIRST.to_owned()];
    let mut next = 0;
    while let Some(folder) = packages.get(next).cloned() {
        next += 1;
        let source = crates.join(&folder);
        println!(
            "cargo::rerun-if-changed={}",
            source.join("Cargo.toml").display()
        );
        println!("cargo::rerun-if-changed={}", source.join("src").display());
        let manifest = Manifest::read(&source.join("Cargo.toml"), &workspace);
        for needed in manifest.needs() {
            if !packages.contains(needed) {
                packages.push(needed.clone());
            }
        }
        if folder == FIRST {
            version = manifest.version().to_owned();
        }
        files.insert(format!("{folder}/Cargo.toml"), manifest.text());
        for name in ["build.rs", "README.md"] {
            if let Ok(text) = fs::read_to_string(source.join(name)) {
                println!("cargo::rerun-if-changed={}", source.join(name).display());
                files.insert(format!("{folder}/{name}"), text);
            }
        }
        add_folder(&mut files, &source.join("src"), &format!("{folder}/src"))
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", source.display()));
        // A user's build would show the warnings of a newer compiler, and with `-D warnings` fail.
        let first = files
            .get_mut(&format!("{folder}/src/lib.rs"))
            .expect("a library");
        first.insert_str(0, "#![allow(warnings)] ");
    }
    fs::write(out.join("core.rs"), generated(&out, &files, &version)).expect("OUT_DIR is writable");
}

/// Adds all files below `folder`, under `name`.
fn add_folder(files: &mut BTreeMap<String, String>, folder: &Path, name: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let own = path
            .file_name()
            .expect("an entry has a name")
            .to_string_lossy();
        let name = format!("{name}/{own}");
        if path.is_dir() {
            add_folder(files, &path, &name)?;
        } else {
            files.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// Writes the files into one, and returns the Rust code that says where each is in it.
fn generated(out: &Path, files: &BTreeMap<String, String>, version: &str) -> String {
    let mut all = String::new();
    let mut list = String::new();
    let mut hash = Sha256::new();
    for (name, text) in files {
        let begin = all.len();
        all.push_str(text);
        writeln!(list, "    ({name:?}, {begin}, {}),", all.len()).expect("writing to a string");
        for part in [name, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    fs::write(out.join("core.txt"), &all).expect("OUT_DIR is writable");
    let hash: String = hash
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "/// All files of the core, one after the other.\n\
         const TEXT: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/core.txt\"));\n\
         /// Name, begin and end in `TEXT`.\n\
         const FILES: &[(&str, usize, usize)] = &[\n{list}];\n\
         /// What tells one core from another.\n\
         pub(crate) const HASH: &str = {hash:?};\n\
         /// The version of the core's `rayon-core`.\n\
         pub(crate) const VERSION: &str = {version:?};\n"
    )
}
