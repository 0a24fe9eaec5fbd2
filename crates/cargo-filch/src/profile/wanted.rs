//! What is made of a recording.

use std::ffi::OsString;
use std::path::PathBuf;

use filch_report::profile::{Shown, firefox, folded, perfetto};

use crate::failure::Failure;

/// The options of `profile` that are not cargo's.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Where the files go.
    pub(crate) out: Option<PathBuf>,
    /// For which other viewers.
    pub(crate) exports: Vec<Export>,
}

impl Wanted {
    pub(crate) const OPTIONS: [&'static str; 2] = ["--out", "--export"];

    /// Takes one of them.
    pub(crate) fn note(&mut self, name: &str, value: Option<OsString>) -> Result<(), Failure> {
        let value = value.filter(|value| !value.is_empty());
        let Some(value) = value else {
            return Err(Failure::usage(format!("{name} needs a value")));
        };
        if name == "--out" {
            self.out = Some(value.into());
            return Ok(());
        }
        let export = Export::ALL
            .into_iter()
            .find(|export| value == export.name());
        let export = export.ok_or_else(|| {
            let value = value.display().to_string();
            Failure::usage(format!(
                "--export '{}': use perfetto, folded or firefox",
                value.escape_debug()
            ))
        })?;
        if !self.exports.contains(&export) {
            self.exports.push(export);
        }
        Ok(())
    }
}

/// The format of another viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Export {
    Perfetto,
    Folded,
    Firefox,
}

impl Export {
    const ALL: [Self; 3] = [Self::Perfetto, Self::Folded, Self::Firefox];

    fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::Folded => "folded",
            Self::Firefox => "firefox",
        }
    }

    /// How its files end.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto.json",
            Self::Folded => "folded",
            Self::Firefox => "firefox.json",
        }
    }

    pub(crate) fn text(self, shown: &Shown<'_>) -> String {
        match self {
            Self::Perfetto => perfetto(shown),
            Self::Folded => folded(shown),
            Self::Firefox => firefox(shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names_and_the_rest_is_refused() {
        let mut wanted = Wanted::default();
        for name in ["folded", "perfetto", "folded"] {
            wanted.note("--export", Some(name.into())).unwrap();
        }
        assert_eq!(wanted.exports, [Export::Folded, Export::Perfetto]);
        assert!(wanted.note("--export", Some("svg".into())).is_err());
        assert!(wanted.note("--out", None).is_err());
        wanted.note("--out", Some("x".into())).unwrap();
        assert_eq!(wanted.out, Some("x".into()));
    }
}
