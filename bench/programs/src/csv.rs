//! Every run as a row of a table.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use crate::measure::Cost;
use crate::pairs::Pair;

/// Appends the runs of a program to the file, which begins with the names of its columns.
pub(crate) fn append(path: &Path, program: &str, threads: usize, pairs: &[Pair]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() == 0 {
        writeln!(
            file,
            "program,threads,pair,core,wall_s,processor_s,voluntary_switches,peak_mib"
        )?;
    }
    for (number, pair) in pairs.iter().enumerate() {
        for (core, cost) in [("rayon-core", &pair.upstream), ("filch", &pair.ours)] {
            let Cost {
                wall,
                processor,
                switches,
                memory,
            } = cost;
            writeln!(
                file,
                "\"{program}\",{threads},{number},{core},{wall},{processor},{switches},{memory}"
            )?;
        }
    }
    Ok(())
}
