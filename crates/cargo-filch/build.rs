//! Packs the sources of the core into the program: `rayon-core` and every package of the workspace
//! that it needs, with manifests that stand alone.
//!
//! The folder `core` has links to them, which become files in the package of this crate, so that it
//! can be built alone. Manifests have another name there, since cargo leaves folders with a
//! `Cargo.toml` out of a package.

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
    let layout = Layout::find();
    let workspace = Workspace::read(&layout.of_workspace());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    rerun_if_changed(&layout.of_workspace());

    let mut files = BTreeMap::new();
    let mut version = String::new();
    let mut packages = vec![FIRST.to_owned()];
    let mut next = 0;
    while let Some(folder) = packages.get(next).cloned() {
        next += 1;
        let source = layout.of_package(&folder);
        let manifest = source.join(layout.manifest);
        assert!(
            manifest.is_file() && source.join("src").is_dir(),
            "the core needs crates/{folder}, and {} has no link to its sources",
            source.display()
        );
        rerun_if_changed(&manifest);
        rerun_if_changed(&source.join("src"));
        let manifest = Manifest::read(&manifest, &workspace);
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
                rerun_if_changed(&source.join(name));
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

/// Where the sources are.
struct Layout {
    root: PathBuf,
    /// The name of a package's manifest.
    manifest: &'static str,
}

impl Layout {
    /// The links, or the crates beside this one in a checkout that has no links.
    fn find() -> Self {
        let links = Path::new("core");
        if links.join(FIRST).join("src").is_dir() {
            Self {
                root: links.into(),
                manifest: "manifest.toml",
            }
        } else {
            Self {
                root: "..".into(),
                manifest: "Cargo.toml",
            }
        }
    }

    fn of_workspace(&self) -> PathBuf {
        match self.manifest {
            "Cargo.toml" => self.root.join("../Cargo.toml"),
            _ => self.root.join("workspace.toml"),
        }
    }

    fn of_package(&self, folder: &str) -> PathBuf {
        self.root.join(folder)
    }
}

/// Builds this again when what the path leads to has changed.
fn rerun_if_changed(path: &Path) {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    println!("cargo::rerun-if-changed={}", path.display());
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
