//! The program `crowd`: 64 and 256 workers on a machine with few processors.
//!
//! With so many workers the cost of waking, searching and falling asleep shows, and processor time
//! is what it costs the rest of the machine. Each cell is a run of its own: only its pool exists.

mod pool;
mod rows;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use filch_report::markdown_table::{self, Align};

use pool::Kind;
use rows::{Cost, Row};

/// Measures pools with far more workers than processors: time, and calls of membarrier, for each
/// section or job.
#[derive(Debug, Parser)]
struct Args {
    /// Numbers of workers
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "64,256"
    )]
    workers: Vec<usize>,
    /// Only rows whose name begins with this
    #[arg(long, value_name = "NAME")]
    row: Option<String>,
    /// Only this runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<Kind>,
    /// Rounds; a cell is the median of them
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
}

/// Runs the program.
pub fn crowd() -> ExitCode {
    match print(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn print(args: &Args) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let right = ["workers", "CPU µs", "wall µs", "membarriers"].map(|title| (title, Align::Right));
    let columns = [
        &[("row", Align::Left), ("runtime", Align::Left)],
        &right[..],
    ]
    .concat();
    write!(out, "{}", markdown_table::head(&columns))?;
    let is_chosen = |row: &Row| {
        args.row
            .as_ref()
            .is_none_or(|name| row.name().starts_with(name))
    };
    let kinds = || {
        Kind::ALL
            .into_iter()
            .filter(|kind| args.runtime.is_none_or(|one| one == *kind))
    };
    for row in Row::all().into_iter().filter(is_chosen) {
        for &workers in &args.workers {
            for kind in kinds() {
                let workers = row.workers().unwrap_or(workers);
                let cost = median(args.rounds, || row.measure(kind, workers));
                let micros = [cost.cpu, cost.wall].map(|nanos| format!("{:.1}", nanos / 1e3));
                let barriers = format!("{:.3}", cost.barriers);
                let names = [row.name(), kind.to_string(), workers.to_string()];
                write!(
                    out,
                    "{}",
                    markdown_table::row(names.into_iter().chain(micros).chain([barriers]))
                )?;
                out.flush()?;
            }
            if row.workers().is_some() {
                break;
            }
        }
    }
    Ok(())
}

/// The round with the median processor time.
fn median(rounds: usize, round: impl Fn() -> Cost) -> Cost {
    let mut costs: Vec<Cost> = (0..rounds.max(1)).map(|_| round()).collect();
    costs.sort_by(|one, other| one.cpu.total_cmp(&other.cpu));
    costs[costs.len() / 2]
}
