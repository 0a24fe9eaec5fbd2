//! Cargo, called for what it knows and for what it changes.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, str};

use crate::args::Known;
use crate::failure::Failure;

/// The cargo that called us, and the options that each call of it gets.
pub(crate) struct Cargo {
    program: OsString,
    options: Vec<OsString>,
}

impl Cargo {
    pub(crate) fn new(known: &Known) -> Self {
        let mut options = known.passed_on.clone();
        if let Some(path) = &known.manifest_path {
            options.extend(["--manifest-path".into(), path.into()]);
        }
        Self {
            program: env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            options,
        }
    }

    /// The program that is called.
    pub(crate) fn program(&self) -> &OsStr {
        &self.program
    }

    /// A command without options.
    pub(crate) fn plain(&self, command: &str) -> Command {
        let mut call = Command::new(&self.program);
        call.arg(command);
        call
    }

    /// A command with `--manifest-path`, `--config` and `-Z` as they were given.
    pub(crate) fn call(&self, command: &str) -> Command {
        let mut call = self.plain(command);
        call.args(&self.options);
        call
    }

    /// What a command prints. If it fails, cargo has said why.
    pub(crate) fn ask(&self, call: &mut Command) -> Result<String, Failure> {
        let output = self.output(call.stderr(Stdio::inherit()))?;
        if !output.status.success() {
            return Err(Failure::Cargo(output.status));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| Failure::run("cargo's answer is no text in UTF-8"))
    }

    /// What a command prints, and how it ends.
    pub(crate) fn output(&self, call: &mut Command) -> Result<Output, Failure> {
        call.stdin(Stdio::null())
            .output()
            .map_err(|error| self.not_started(&error))
    }

    pub(crate) fn not_started(&self, error: &std::io::Error) -> Failure {
        Failure::run(format!("cannot start {}: {error}", self.program.display()))
    }

    /// Whether a setting moves the lock file: `resolver.lockfile-path`.
    pub(crate) fn can_move_lock_file(&self) -> Result<bool, Failure> {
        Ok(moves_lock_file(&self.ask(&mut self.plain("--version"))?))
    }
}

/// The argument of `--config` that puts the package in `folder` in the place of rayon-core.
pub(crate) fn patch(folder: &Path) -> Result<String, Failure> {
    let folder = folder.to_str().ok_or_else(|| {
        let folder = folder.display();
        Failure::usage(format!(
            "cargo accepts no path that is not UTF-8, such as {folder}: use --target-dir"
        ))
    })?;
    let folder = toml::Value::from(folder);
    Ok(format!("patch.crates-io.rayon-core.path={folder}"))
}

/// Whether a cargo with this version line has `resolver.lockfile-path`: stable since 1.97, and in
/// nightly builds since a day of May 2026 at the latest.
fn moves_lock_file(version: &str) -> bool {
    let mut words = version.split_whitespace();
    words.next();
    let mut numbers = words.next().unwrap_or_default().splitn(3, '.');
    let mut number = || numbers.next().and_then(|text| text.parse::<u32>().ok());
    let (Some(major), Some(minor)) = (number(), number()) else {
        return false;
    };
    let is_early = version.contains("-nightly");
    let date = words.next_back().unwrap_or_default().trim_end_matches(')');
    (major, minor) > (1, 97) || (major, minor) == (1, 97) && (!is_early || date >= "2026-05-15")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_moves_lock_files() {
        for (line, moves) in [
            ("cargo 1.89.0 (c24e10642 2025-06-23)\n", false),
            ("cargo 1.96.1 (aaaaaaaaa 2026-06-01)\n", false),
            ("cargo 1.97.0-nightly (aaaaaaaaa 2026-04-20)\n", false),
            ("cargo 1.97.0-nightly (4d1f98451 2026-05-15)\n", true),
            ("cargo 1.97.1 (8bab26f4f 2026-07-14)\n", true),
            ("cargo 1.98.0-nightly (54333ff07 2026-05-22)\n", true),
            ("cargo 2.0.0\n", true),
            ("", false),
        ] {
            assert_eq!(moves_lock_file(line), moves, "{line}");
        }
    }

    #[test]
    fn a_path_is_quoted() {
        let patch = patch(Path::new(r#"/a "b"\c"#)).unwrap();
        let table: toml::Table = patch.parse().unwrap();
        let path = &table["patch"]["crates-io"]["rayon-core"]["path"];
        assert_eq!(path.as_str(), Some(r#"/a "b"\c"#));
    }
}
