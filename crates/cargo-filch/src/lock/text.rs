//! What a lock file says.

use std::collections::HashSet;

use serde::Deserialize;

use crate::core_tree::VERSION;
use crate::failure::Failure;

/// The packages of a lock file.
#[derive(Default, Deserialize)]
struct Locked {
    #[serde(default, rename = "package")]
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Package {
    fn is_core(&self) -> bool {
        self.name == "rayon-core"
    }

    /// Whether it is the core that `cargo filch` carries.
    fn is_ours(&self) -> bool {
        self.is_core() && self.source.is_none() && self.version == VERSION
    }
}

/// What a lock file says of rayon.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rayon {
    /// The program runs on our core.
    Ours,
    /// Another version of rayon-core is required.
    Other(String),
    /// Another folder or repository is in the place of rayon-core.
    Replaced,
    /// The program does not use rayon.
    Unused,
}

fn parsed(text: &str) -> Locked {
    // Cargo complains about a lock file that makes no sense.
    toml::from_str(text).unwrap_or_default()
}

/// The lock file without its rayon-core, so that cargo chooses one anew and keeps all others.
pub(crate) fn without_core(text: &str) -> String {
    let name = "name = \"rayon-core\"";
    let is_other = |block: &&str| !block.lines().any(|line| line.trim_end() == name);
    // Blocks are separated by empty lines, which end as the other lines do.
    let separator = if text.contains("\r\n") {
        "\r\n\r\n"
    } else {
        "\n\n"
    };
    let others: Vec<&str> = text.split(separator).filter(is_other).collect();
    others.join(separator)
}

/// What the program that `text` locks would run on. `packages` are those that are built; without
/// them, all of the workspace. Of a package that is not there cargo says so.
pub(crate) fn rayon(text: &str, packages: Option<&[String]>) -> Rayon {
    let locked = parsed(text);
    let Some(core) = locked.packages.iter().find(|package| package.is_core()) else {
        return Rayon::Unused;
    };
    let does_without =
        |packages: &[String]| locked.has_all(packages) && !locked.reaches_core(packages);
    if packages.is_some_and(does_without) {
        Rayon::Unused
    } else if core.is_ours() {
        Rayon::Ours
    } else if core
        .source
        .as_deref()
        .is_some_and(|source| source.starts_with("registry+"))
    {
        Rayon::Other(core.version.clone())
    } else {
        Rayon::Replaced
    }
}

impl Rayon {
    /// Nothing if the program runs on our core, otherwise why it does not.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Ours => Ok(()),
            // Offline cargo takes the other core if ours has dependencies that are not there.
            Self::Other(version) if version.starts_with("1.13.") => Err(Failure::run(
                "the core's own dependencies (libc, libm, rand, rand_xoshiro) are not in cargo's \
                 cache or among the vendored packages: run `cargo filch fetch` with a network",
            )),
            Self::Other(version) => Err(Failure::usage(format!(
                "the program insists on rayon-core {version}, and filch stands in for 1.13: \
                 allow rayon 1.11 or later in its manifest"
            ))),
            Self::Replaced => Err(Failure::usage(
                "the program has a rayon-core of its own, from a folder or a repository: \
                 filch can only stand in for the one of crates.io",
            )),
            Self::Unused => Err(Failure::usage(
                "the program does not use rayon: there is nothing that could run on filch",
            )),
        }
    }
}

impl Locked {
    /// Whether there are packages of all these names.
    fn has_all(&self, names: &[String]) -> bool {
        let has = |name: &String| self.packages.iter().any(|package| package.name == *name);
        names.iter().all(has)
    }

    /// Whether one of these packages depends on rayon-core.
    fn reaches_core(&self, from: &[String]) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut open: Vec<&str> = from.iter().map(String::as_str).collect();
        while let Some(name) = open.pop() {
            if name == "rayon-core" {
                return true;
            }
            // Packages of one name in several versions are taken together.
            if seen.insert(name) {
                let named = self.packages.iter().filter(|package| package.name == name);
                let dependencies = named.flat_map(|package| &package.dependencies);
                open.extend(dependencies.filter_map(|text| text.split_whitespace().next()));
            }
        }
        false
    }
}

/// Whether `current` is our doing, or that of a cargo that found our lock file in the place of the
/// `original`: it has our core, or no package that the original does not have.
pub(crate) fn is_ours(original: &str, current: &str) -> bool {
    // A cargo that does without our core puts these back, perhaps in newer versions.
    const OF_CORE: [&str; 4] = [
        "rayon-core",
        "crossbeam-deque",
        "crossbeam-epoch",
        "crossbeam-utils",
    ];
    let before = parsed(original).packages;
    let before: HashSet<(&str, &str)> = before.iter().map(|p| (&*p.name, &*p.version)).collect();
    let is_known = |package: &Package| {
        OF_CORE.contains(&&*package.name) || before.contains(&(&*package.name, &*package.version))
    };
    let current = parsed(current).packages;
    current.iter().any(Package::is_ours) || current.iter().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = r#"version = 4

[[package]]
name = "either"
version = "1.0.0"
source = "registry+x"

[[package]]
name = "plain"
version = "0.1.0"

[[package]]
name = "prog"
version = "0.1.0"
dependencies = [
 "rayon",
]

[[package]]
name = "rayon"
version = "1.12.0"
source = "registry+x"
dependencies = [
 "either",
 "rayon-core",
]

[[package]]
name = "rayon-core"
version = "1.13.0"
source = "registry+x"
"#;

    fn ours() -> String {
        let core = format!("[[package]]\nname = \"rayon-core\"\nversion = \"{VERSION}\"\n");
        format!("{}\n{core}", without_core(ORIGINAL))
    }

    #[test]
    fn the_core_is_taken_out_and_nothing_else() {
        let without = without_core(ORIGINAL);
        let expected = ORIGINAL
            .split("\n\n[[package]]\nname = \"rayon-core\"")
            .next()
            .unwrap();
        assert_eq!(without, expected);
        assert_eq!(without_core("version = 4\n"), "version = 4\n");
        let windows = without_core(&ORIGINAL.replace('\n', "\r\n"));
        assert_eq!(windows, expected.replace('\n', "\r\n"));
    }

    #[test]
    fn what_a_program_runs_on() {
        let prog = ["prog".to_owned()];
        let plain = ["plain".to_owned()];
        assert_eq!(rayon(&ours(), None), Rayon::Ours);
        assert_eq!(rayon(&ours(), Some(&prog)), Rayon::Ours);
        assert_eq!(rayon(&ours(), Some(&plain)), Rayon::Unused);
        let misspelt = ["plain".to_owned(), "porg".to_owned()];
        assert_eq!(rayon(&ours(), Some(&misspelt)), Rayon::Ours);
        assert_eq!(rayon(ORIGINAL, Some(&prog)), Rayon::Other("1.13.0".into()));
        assert_eq!(rayon(&without_core(ORIGINAL), None), Rayon::Unused);
        let own = ours().replace(VERSION, "1.12.0");
        assert_eq!(rayon(&own, None), Rayon::Replaced);
    }

    #[test]
    fn a_lock_file_that_another_cargo_changed_is_told_from_one_that_the_user_changed() {
        let ours = ours();
        let relocked = ORIGINAL.replace("1.13.0", "1.13.5");
        let updated = ORIGINAL.replace("1.0.0", "1.0.1");
        for (current, expected) in [
            (ORIGINAL, true),
            (&ours, true),
            (&without_core(ORIGINAL), true),
            (&relocked, true),
            (&updated, false),
        ] {
            assert_eq!(is_ours(ORIGINAL, current), expected, "{current}");
        }
    }
}
