//! The file of a profile: `filch-profile-2`.
//!
//! The file begins with the line `filch-profile-2`. Chunks follow, and each is written at once:
//!
//! | bytes | what they are |
//! |---|---|
//! | 1 | the kind |
//! | 4 | the length of the content, little-endian |
//! | 4 | CRC-32 of these five bytes |
//! | as the length says | the content |
//! | 4 | CRC-32 of the content |
//!
//! | kind | content |
//! |---|---|
//! | `P` | program and recording; a later one replaces an earlier one |
//! | `S` | sites, to follow those that were there |
//! | `F` | forks and steals of all sites so far; a later one replaces an earlier one |
//! | `T` | tasks, to follow those that were there |
//! | `R` | sections |
//! | `W` | stretches, to follow those that were there |
//! | `E` | nothing: the end of a recording that was not cut short |
//!
//! Numbers are varints (LEB128), texts a length and UTF-8. A task refers to another by how many
//! tasks back that one is. A chunk refers only to what earlier chunks have written. So a file that
//! was cut short is readable up to its last whole chunk, and [ends](crate::Ending) accordingly.
//!
//! Files of version 1 are read too. They lack the [usage](crate::Usage) of the program.

mod chunk;
mod crc;
mod decode;
mod encode;
mod error;
mod reader;
mod writer;

pub use error::ReadError;
pub use writer::Writer;

/// The first line of a file, without the version.
const MAGIC: &str = "filch-profile-";
/// The version that this code writes.
const VERSION: &str = "2";

/// The versions that this code reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    First,
    Second,
}

impl Version {
    fn of(name: &str) -> Option<Self> {
        match name {
            "1" => Some(Self::First),
            VERSION => Some(Self::Second),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
