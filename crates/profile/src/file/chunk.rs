//! Chunks: how they lie in the file.

use std::io::{self, Write};

use super::ReadError;
use super::crc::crc32;

/// What a chunk contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Program = b'P',
    Sites = b'S',
    Forks = b'F',
    Tasks = b'T',
    Sections = b'R',
    Stretches = b'W',
    End = b'E',
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        use Kind::{End, Forks, Program, Sections, Sites, Stretches, Tasks};
        let kinds = [Program, Sites, Forks, Tasks, Sections, Stretches, End];
        kinds.into_iter().find(|kind| *kind as u8 == byte)
    }
}

const HEADER: usize = 1 + 4 + 4;

/// Writes a chunk at once, so that another thread or a crash does not come in between.
pub(super) fn write(out: &mut impl Write, kind: Kind, content: &[u8]) -> io::Result<()> {
    let too_long = |_| io::Error::other("a chunk of a profile is longer than 4 GiB");
    let length = u32::try_from(content.len()).map_err(too_long)?;
    let mut chunk = Vec::with_capacity(HEADER + content.len() + 4);
    chunk.push(kind as u8);
    chunk.extend(length.to_le_bytes());
    chunk.extend(crc32(&chunk).to_le_bytes());
    chunk.extend(content);
    chunk.extend(crc32(content).to_le_bytes());
    out.write_all(&chunk)
}

/// The next chunk of `rest`, which then is what follows it. `None` if the file ends before the
/// chunk does.
pub(super) fn next<'a>(
    rest: &mut &'a [u8],
    at: usize,
) -> Result<Option<(Kind, &'a [u8])>, ReadError> {
    let damaged = |why| ReadError::Damaged { at, why };
    let Some((&[kind, a, b, c, d, ..], _)) = rest.split_first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let (header, content) = rest.split_at(HEADER);
    if word(&header[5..]) != crc32(&header[..5]) {
        return Err(damaged("the head of a chunk is not what was written"));
    }
    let Some(kind) = Kind::of(kind) else {
        return Err(damaged("there is no such kind of chunk"));
    };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let Some((content, after)) = content.split_at_checked(length) else {
        return Ok(None);
    };
    let Some((crc, after)) = after.split_at_checked(4) else {
        return Ok(None);
    };
    if word(crc) != crc32(content) {
        return Err(damaged("a chunk is not what was written"));
    }
    *rest = after;
    Ok(Some((kind, content)))
}

/// Of four bytes.
fn word(bytes: &[u8]) -> u32 {
    let shifted = bytes.iter().rev().map(|byte| u32::from(*byte));
    shifted.fold(0, |word, byte| word << 8 | byte)
}
