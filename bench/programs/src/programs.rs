//! Which programs are run, and on what.

use std::io;
use std::os::unix::fs::symlink;

/// A program, and its arguments. `DATA` stands for the folder of inputs, and `SOURCES` for one of
/// the links in it to the folder of sources.
pub(crate) struct ProgramRow {
    pub(crate) name: &'static str,
    pub(crate) binary: &'static str,
    pub(crate) arguments: &'static [&'static str],
}

const fn row(
    name: &'static str,
    binary: &'static str,
    arguments: &'static [&'static str],
) -> ProgramRow {
    ProgramRow {
        name,
        binary,
        arguments,
    }
}

/// All of them.
pub(crate) const ROWS: &[ProgramRow] = &[
    row("dust, empty folder", "dust", &["-c", "DATA/empty"]),
    row("dust, sources", "dust", &["-c", "SOURCES"]),
    row("tokei, sources", "tokei", &["SOURCES"]),
    row(
        "oxipng",
        "oxipng",
        &["-o", "2", "--dry-run", "-q", "DATA/image.png"],
    ),
    row("b3sum, 256 MiB", "b3sum", &["DATA/large"]),
    row("BVH of obvhs", "small", &["bvh"]),
    row("first pool", "small", &["first-pool"]),
    row("2,000 pools", "small", &["pools"]),
    row("channel, spawn and bridge", "small", &["bridge"]),
    row("channel, join", "small", &["join"]),
    row("channel, scope", "small", &["scope"]),
];

impl ProgramRow {
    /// Its arguments in one of the runs, for inputs in the folder `data`.
    pub(crate) fn arguments_for(&self, data: &str, round: usize) -> Vec<String> {
        let sources = sources(data, round);
        let arguments = self.arguments.iter();
        arguments
            .map(|argument| argument.replace("SOURCES", &sources).replace("DATA", data))
            .collect()
    }
}

/// How many links there are to the folder of sources. Each path is [`LONGER`] than the one before.
const LINKS: usize = 8;

/// By how many characters.
const LONGER: usize = 8;

/// The folder of sources, by the path for this round. The length of the paths that a program
/// handles decides which of them share blocks of glibc's allocator with what, and so how often its
/// threads wait for one another there. Two rounds have the same path, one for each order of the two
/// runs.
fn sources(data: &str, round: usize) -> String {
    format!("{data}/sources{}", "-".repeat(LONGER * (round / 2 % LINKS)))
}

/// Makes the links to `data/sources`.
pub(crate) fn link(data: &str) -> io::Result<()> {
    for round in (2..2 * LINKS).step_by(2) {
        match symlink("sources", sources(data, round)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
