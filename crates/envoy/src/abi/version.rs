//! Which version of the ABI the Envoy around us has.
//!
//! The ABI has no function that says it: Envoy compares the module's version with its own and, if
//! they differ, warns and goes on. A module that does not know the version must not go on, because
//! a function may have kept its name and changed its arguments. So the version is read where Envoy
//! keeps it: in the executable, as a text of its own.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The versions that this module is tested with, and the Envoys that have them.
pub const KNOWN: [(&CStr, &str); 2] = [(c"v0.1.0", "1.38 and 1.39"), (c"v0.2.0", "1.40")];

/// What [`KNOWN`] says, for people.
pub fn known() -> String {
    let known = KNOWN.map(|(version, envoy)| format!("{} (Envoy {envoy})", text(version)));
    known.join(" and ")
}

/// How the executable's texts bear on the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This known version is among them.
    Known(&'static CStr),
    /// There are texts that look like versions of the ABI, none of which is known.
    Unknown(Vec<String>),
    /// There are none: Envoy keeps its version in some other way, or this is no Envoy.
    Nothing,
}

/// Looks at the executable of this process.
///
/// # Errors
///
/// If it cannot be read.
pub fn of_this_process() -> io::Result<Found> {
    of(Path::new("/proc/self/exe"))
}

/// Looks at an executable.
///
/// # Errors
///
/// If it cannot be read.
pub fn of(executable: &Path) -> io::Result<Found> {
    let mut file = File::open(executable)?;
    let mut candidates = Vec::new();
    let mut window = vec![0; 1 << 20];
    let mut kept = 0;
    loop {
        let read = file.read(&mut window[kept..])?;
        let end = kept + read;
        collect(&window[..end], &mut candidates);
        if read == 0 {
            break;
        }
        // A text may lie across two reads.
        kept = end.min(LONGEST);
        window.copy_within(end - kept..end, 0);
    }
    let known = KNOWN
        .iter()
        .find(|(version, _)| candidates.iter().any(|it| it == text(version)));
    Ok(match known {
        Some((version, _)) => Found::Known(version),
        None if candidates.is_empty() => Found::Nothing,
        None => Found::Unknown(candidates),
    })
}

/// The longest text that is looked for, with the zeros around it.
const LONGEST: usize = 16;

/// Collects texts of the form `v0.N.N` between two zeros.
fn collect(bytes: &[u8], candidates: &mut Vec<String>) {
    const START: &[u8] = b"\0v0.";
    for (at, _) in bytes
        .windows(START.len())
        .enumerate()
        .filter(|(_, it)| *it == START)
    {
        let rest = &bytes[at + 1..bytes.len().min(at + LONGEST)];
        let Some(end) = rest.iter().position(|&byte| byte == 0) else {
            continue;
        };
        let numbers = rest[1..end].split(|&byte| byte == b'.');
        let is_number = |it: &[u8]| !it.is_empty() && it.iter().all(u8::is_ascii_digit);
        if numbers.clone().count() == 3 && numbers.clone().all(is_number) {
            let candidate = String::from_utf8_lossy(&rest[..end]).into_owned();
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
}

fn text(version: &'static CStr) -> &'static str {
    version.to_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn found(bytes: &[u8]) -> Found {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        of(file.path()).unwrap()
    }

    #[test]
    fn a_known_version_is_found_wherever_it_is() {
        for before in [0, 1, (1 << 20) - 8, (1 << 20) - 1, 1 << 20, 3 << 20] {
            let mut bytes = vec![b'x'; before];
            bytes.extend(b"\0v0.2.0\0 and more");
            assert_eq!(found(&bytes), Found::Known(c"v0.2.0"), "{before}");
        }
        assert_eq!(found(b"\0v0.1.0\0\0v0.9.9\0"), Found::Known(c"v0.1.0"));
    }

    #[test]
    fn other_versions_are_named_and_other_texts_are_not() {
        assert_eq!(
            found(b"\0v0.3.0\0"),
            Found::Unknown(vec!["v0.3.0".to_owned()])
        );
        for other in [
            "v0.2",
            "v2.1.0",
            "v0.1.0-rc",
            "xv0.1.0",
            "v0..1",
            "v0.1.0.0",
        ] {
            let bytes = [b"\0", other.as_bytes(), b"\0"].concat();
            assert_eq!(found(&bytes), Found::Nothing, "{other}");
        }
        assert_eq!(found(b""), Found::Nothing);
    }
}
