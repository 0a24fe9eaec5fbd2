//! The command line of `instructions`.

use std::path::PathBuf;

use clap::Parser;

use super::programs::CountedProgram;
use crate::output::{check_folder, is_wanted, wanted};
use crate::runtimes::RuntimeKind;

/// Counts the instructions of a fork with valgrind's callgrind, beside the serial program.
#[derive(Debug, Parser)]
#[command(name = "instructions", version)]
pub(crate) struct CountArgs {
    /// Only programs whose name contains FILTER (repeatable)
    #[arg(long, value_name = "FILTER")]
    program: Vec<String>,
    /// Only runtimes whose name contains FILTER; serial is always counted (repeatable)
    #[arg(long, value_name = "FILTER")]
    runtime: Vec<String>,
    /// One JSON object on standard output, and nothing else there
    #[arg(long)]
    json: bool,
    /// Also write the counts to DIR/instructions.csv
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
    /// Run the first program on the first runtime so often: what callgrind is given to count
    #[arg(long, value_name = "TIMES", hide = true)]
    repeat: Option<u32>,
}

/// What a process under callgrind does.
#[derive(Debug)]
pub(crate) struct Part {
    /// The program.
    pub(crate) program: CountedProgram,
    /// The runtime.
    pub(crate) runtime: RuntimeKind,
    /// How often the program runs.
    pub(crate) repeats: u32,
}

/// A checked request.
#[derive(Debug)]
pub(crate) struct CountOptions {
    /// The programs to count.
    pub(crate) programs: Vec<CountedProgram>,
    /// The runtimes to count, serial first.
    pub(crate) runtimes: Vec<RuntimeKind>,
    /// JSON instead of a table.
    pub(crate) json: bool,
    /// The folder for the counts as CSV.
    pub(crate) csv: Option<PathBuf>,
}

impl CountArgs {
    /// The part of a process under callgrind, if this is one.
    pub(crate) fn part(&self) -> Option<Part> {
        let named = |kind: &&RuntimeKind| self.runtime.iter().any(|name| name == kind.name());
        Some(Part {
            program: CountedProgram::ALL
                .into_iter()
                .find(|program| self.program.iter().any(|name| name == program.name()))?,
            runtime: *RUNTIMES.iter().find(named)?,
            repeats: self.repeat?,
        })
    }

    /// The arguments that make a process do `part`.
    pub(crate) fn of(part: &Part) -> [String; 6] {
        let repeats = part.repeats.to_string();
        let (program, runtime) = (part.program.name(), part.runtime.name());
        [
            "--program",
            program,
            "--runtime",
            runtime,
            "--repeat",
            &repeats,
        ]
        .map(str::to_owned)
    }
}

/// The runtimes with a `join`, serial first.
const RUNTIMES: &[RuntimeKind] = &[
    RuntimeKind::Serial,
    RuntimeKind::Filch,
    RuntimeKind::Chili,
    RuntimeKind::Rayon,
    #[cfg(feature = "forte")]
    RuntimeKind::Forte,
];

impl CountOptions {
    /// Checks `args`; the error is one line that says what to type instead.
    pub(crate) fn checked(args: CountArgs) -> Result<CountOptions, String> {
        let names = CountedProgram::ALL.map(CountedProgram::name).join(", ");
        let programs = wanted(
            CountedProgram::ALL,
            |program| program.name(),
            &args.program,
            "program",
            &format!("there are {names}"),
        )?;
        let runtimes: Vec<_> = RUNTIMES
            .iter()
            .copied()
            .filter(|kind| *kind == RuntimeKind::Serial || is_wanted(kind.name(), &args.runtime))
            .collect();
        if runtimes.len() == 1 && !is_wanted("serial", &args.runtime) {
            let names: Vec<_> = RUNTIMES.iter().map(|kind| kind.name()).collect();
            let names = names.join(", ");
            return Err(format!(
                "no runtime matches {:?}; there are {names}",
                args.runtime
            ));
        }
        check_folder(args.csv.as_deref())?;
        Ok(CountOptions {
            programs,
            runtimes,
            json: args.json,
            csv: args.csv,
        })
    }
}
