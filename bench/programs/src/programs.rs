//! Which programs are run, and on what.

/// A program, and its arguments. `DATA` stands for the folder of inputs.
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
    row("dust, sources", "dust", &["-c", "DATA/sources"]),
    row("tokei, sources", "tokei", &["DATA/sources"]),
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
    /// Its arguments, for inputs in the folder `data`.
    pub(crate) fn arguments_for(&self, data: &str) -> Vec<String> {
        let arguments = self.arguments.iter();
        arguments
            .map(|argument| argument.replace("DATA", data))
            .collect()
    }
}
