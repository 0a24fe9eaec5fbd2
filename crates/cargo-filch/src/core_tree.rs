//! The core: the sources that the program carries, in a folder of cargo's target folder.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io, process};

use crate::failure::Failure;

include!(concat!(env!("OUT_DIR"), "/core.rs"));

/// How the core is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// As it is.
    Plain,
    /// With the feature `profile`, so that it can record.
    Profile,
}

impl Variant {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Profile => "profile",
        }
    }

    /// A file of the core as this variant has it.
    fn text(self, name: &str, text: &'static str) -> Cow<'static, str> {
        match self {
            Self::Profile if name == "rayon-core/Cargo.toml" => {
                let features = "[features]\n";
                Cow::Owned(text.replace(features, &format!("{features}default = [\"profile\"]\n")))
            }
            _ => Cow::Borrowed(text),
        }
    }
}

/// The folder of the core's `rayon-core`. The core is unpacked into `home` unless it is there.
pub(crate) fn unpacked(home: &Path, variant: Variant) -> Result<PathBuf, Failure> {
    let folder = home.join(format!("core-{HASH}-{}", variant.name()));
    if !folder.is_dir() {
        unpack(variant, &folder).map_err(|error| {
            Failure::run(format!(
                "cannot write the core to {}: {error}",
                folder.display()
            ))
        })?;
    }
    Ok(folder.join("rayon-core"))
}

/// Writes all files into a folder aside and renames it, so that the core is there whole or not at
/// all.
fn unpack(variant: Variant, folder: &Path) -> io::Result<()> {
    let aside = folder.with_extension(process::id().to_string());
    for &(name, begin, end) in FILES {
        let path = aside.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
        fs::write(path, &*variant.text(name, &TEXT[begin..end]))?;
    }
    let renamed = fs::rename(&aside, folder);
    if renamed.is_err() {
        // Another process was faster, or the folder cannot be written.
        fs::remove_dir_all(&aside)?;
    }
    if folder.is_dir() { Ok(()) } else { renamed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_whole_and_stands_alone() {
        let home = tempfile::tempdir().unwrap();
        let first = unpacked(home.path(), Variant::Plain).unwrap();
        assert_eq!(unpacked(home.path(), Variant::Plain).unwrap(), first);
        for &(name, ..) in FILES {
            let is_source = name.contains("/src/") || !name.contains("/tests/");
            assert!(is_source && !name.contains(".."), "{name}");
            let path = first.parent().unwrap().join(name);
            assert!(path.is_file(), "{name}");
            if name.ends_with("/Cargo.toml") {
                let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
                assert!(!manifest.contains_key("dev-dependencies"), "{name}");
                let text = manifest.to_string();
                assert!(!text.contains("workspace"), "{text}");
                assert!(!text.contains("dependencies.loom"), "{text}");
            }
        }
        let entries = fs::read_dir(home.path()).unwrap().count();
        assert_eq!(entries, 1, "nothing is left aside");
    }

    #[test]
    fn one_variant_records_and_the_other_does_not() {
        let home = tempfile::tempdir().unwrap();
        let features = |variant| {
            let path = unpacked(home.path(), variant).unwrap().join("Cargo.toml");
            let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
            manifest["features"].get("default").cloned()
        };
        assert_eq!(features(Variant::Plain), None);
        assert_eq!(features(Variant::Profile), Some(vec!["profile"].into()));
    }

    #[test]
    fn a_core_that_another_process_unpacks_is_used() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("core");
        fs::create_dir_all(folder.join("rayon-core")).unwrap();
        unpack(Variant::Plain, &folder).unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
