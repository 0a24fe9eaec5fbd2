use core::fmt;
use std::io;

/// Why a file could not be read as a profile. Each prints as one line.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be read at all.
    Io(io::Error),
    /// It is something else.
    NotAProfile,
    /// It is a profile of a version that this program does not know: the one it names.
    OtherVersion(String),
    /// The recording was cut short before anything was written.
    Empty,
    /// The file was changed after it was written: what is wrong, and at which byte.
    Damaged {
        /// The offset of the chunk.
        at: usize,
        /// What is wrong there.
        why: &'static str,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the profile could not be read: {error}"),
            Self::NotAProfile => f.write_str(
                "this file is no profile: record one with `cargo filch profile` or FILCH_PROFILE",
            ),
            Self::OtherVersion(version) => write!(
                f,
                "this profile has the format {version}, and this program reads formats up to {}: \
                 record it anew, or use the version of filch that recorded it",
                super::VERSION
            ),
            Self::Empty => {
                f.write_str("the recording ended before anything was written: record it anew")
            }
            Self::Damaged { at, why } => {
                write!(
                    f,
                    "the profile is damaged at byte {at}: {why}; record it anew"
                )
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
