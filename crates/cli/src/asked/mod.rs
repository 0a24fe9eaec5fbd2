//! What the command line shares with another front end, such as the Python package.
//!
//! The front end passes the words of a command, as a user would type them after `filch`. It gets a
//! plan that is checked in the same way and refused in the same words ([`Failure::sentence`]). It
//! makes the runs with `filch-experiments`, as the command line does, and passes what came out
//! back: the answer is the text that `--json` prints.
//!
//! ```
//! use filch_cli::asked::{self, AskedNatural};
//!
//! let words = ["natural", "--processors", "8", "--lambda", "0.5", "--steps", "100"];
//! let asked = AskedNatural::read(&words.map(str::to_owned))?;
//! assert_eq!(asked.study.replications, 8, "the default of the command line");
//!
//! let wrong = ["natural", "--processors", "0", "--lambda", "0.5"].map(str::to_owned);
//! let refused = AskedNatural::read(&wrong).map(|_| ()).unwrap_err();
//! assert!(refused.sentence().unwrap().starts_with("--processors: "));
//! # Ok::<(), filch_cli::Failure>(())
//! ```

mod dag;
mod dispatch;
mod flags;
mod fleet;
mod natural;
mod sweep;

pub use dag::{AskedDag, measure, theory_dag};
pub use dispatch::AskedDispatch;
pub use flags::{Flag, flags};
pub use fleet::{AskedFleet, FleetPolicy};
pub use natural::{AskedNatural, theory_natural};
pub use sweep::{canonical_plan, sweep_files, sweep_plan, sweep_range};

use std::ffi::OsString;

use crate::args::{self, Command, Typed};
use crate::failure::Failure;
use crate::{limit, output};

pub use crate::args::SweepPlan;

/// Reads the words of a command, which comes first.
fn read(words: &[String]) -> Result<Command, Failure> {
    let program = std::iter::once(OsString::from("filch"));
    match args::parse(program.chain(words.iter().map(OsString::from)))? {
        Typed::Command(command) => Ok(command),
        Typed::Help(_) => Err(other(words)),
    }
}

/// The words ask for something else than the function that was called.
fn other(words: &[String]) -> Failure {
    let asked = words.first().map_or("", String::as_str);
    Failure::usage(format!("'{}' is another command", asked.escape_debug()))
}

/// The answer of `filch limit`, as JSON.
///
/// # Errors
///
/// If the words are refused, or there is no limit.
pub fn limit(words: &[String]) -> Result<String, Failure> {
    match read(words)? {
        Command::Limit(model) => Ok(output::json(&limit::answer(&model)?)),
        _ => Err(other(words)),
    }
}
