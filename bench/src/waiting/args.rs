//! The command line of `waiting`.

use std::path::PathBuf;

use clap::Parser;

use super::programs::TimedProgram;
use super::stacks::StackAdversary;
use crate::output::{check_folder, is_wanted};

/// Measures what waiting costs in time and in stacks, filch beside rayon, with leaves that sleep.
#[derive(Debug, Parser)]
#[command(name = "waiting", version)]
pub(crate) struct WaitingArgs {
    /// Only rows whose name contains FILTER; the rows on stacks begin with "stack" (repeatable)
    #[arg(long, value_name = "FILTER")]
    row: Vec<String>,
    /// Numbers of workers [default: 4,8,16,32,64, or 4,16,64 with --quick]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    workers: Vec<usize>,
    /// Runs of each row on each runtime [default: 5, or 1 with --quick]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Items for each worker; fewer make the end of a run weigh more
    #[arg(long, value_name = "N", default_value_t = 25)]
    items: usize,
    /// Fewer numbers of workers, and one run of each row: less than a minute
    #[arg(long)]
    quick: bool,
    /// One JSON object with all samples on standard output, and nothing else there
    #[arg(long)]
    json: bool,
    /// Also write the tables to DIR/waiting-times.csv and DIR/waiting-stacks.csv
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
    /// Name the rows, measure nothing
    #[arg(long)]
    list: bool,
}

/// A checked request.
#[derive(Debug)]
pub(crate) struct WaitingOptions {
    /// The programs to time.
    pub(crate) programs: Vec<TimedProgram>,
    /// The programs whose stacks are measured.
    pub(crate) adversaries: Vec<StackAdversary>,
    /// The numbers of workers.
    pub(crate) workers: Vec<usize>,
    /// Runs of each row on each runtime.
    pub(crate) rounds: usize,
    /// Items for each worker.
    pub(crate) items: usize,
    /// JSON instead of tables.
    pub(crate) json: bool,
    /// The folder for the tables as CSV.
    pub(crate) csv: Option<PathBuf>,
    /// Only name the rows.
    pub(crate) list: bool,
}

impl WaitingOptions {
    /// Checks `args`; the error is one line that says what to type instead.
    pub(crate) fn checked(args: WaitingArgs) -> Result<WaitingOptions, String> {
        let programs: Vec<TimedProgram> = TimedProgram::ALL
            .into_iter()
            .filter(|program| is_wanted(program.name, &args.row))
            .collect();
        let adversaries: Vec<StackAdversary> = StackAdversary::ALL
            .into_iter()
            .filter(|adversary| is_wanted(adversary.name, &args.row))
            .collect();
        if programs.is_empty() && adversaries.is_empty() {
            return Err(format!("no row matches {:?}; --list names them", args.row));
        }
        let workers = match (&args.workers[..], args.quick) {
            ([], true) => vec![4, 16, 64],
            ([], false) => vec![4, 8, 16, 32, 64],
            (workers, _) => workers.to_vec(),
        };
        let rounds = args.rounds.unwrap_or(if args.quick { 1 } else { 5 });
        if workers.contains(&0) {
            return Err("--workers takes numbers from 1, for example --workers 4,16".into());
        }
        if rounds == 0 || args.items == 0 {
            return Err("--rounds and --items take a number from 1".into());
        }
        check_folder(args.csv.as_deref())?;
        Ok(WaitingOptions {
            programs,
            adversaries,
            workers,
            rounds,
            items: args.items,
            json: args.json,
            csv: args.csv,
            list: args.list,
        })
    }
}
