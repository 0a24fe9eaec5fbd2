//! The command line of the matrix: raw arguments, and the checked request they make.

use std::path::PathBuf;

use clap::Parser;

use crate::clock;
use crate::host::HostFacts;
use crate::output::{check_folder, is_wanted, wanted};
use crate::runtimes::RuntimeKind;
use crate::workloads::{self, Workload};

/// Measures fork-join and job runtimes side by side, always with the serial program.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct MatrixArgs {
    /// Only workloads whose name contains FILTER (repeatable)
    #[arg(long, value_name = "FILTER")]
    workload: Vec<String>,
    /// Only runtimes whose name contains FILTER; serial always runs (repeatable)
    #[arg(long, value_name = "FILTER")]
    runtime: Vec<String>,
    /// Numbers of threads that compute
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Small sizes and few rounds: minutes in all (the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// The sizes and rounds of the published table
    #[arg(long)]
    full: bool,
    /// Rounds per row; every round measures each runtime once
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// The n of the workload `fib` (30, or 38 with --full)
    #[arg(long, value_name = "N")]
    fib: Option<u64>,
    /// One JSON object with all raw numbers on standard output, and nothing else there
    #[arg(long)]
    json: bool,
    /// Also write the table to DIR/matrix.csv
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
    /// Name the workloads and runtimes, measure nothing
    #[arg(long)]
    list: bool,
}

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixScale {
    /// Enough to see a difference.
    Quick,
    /// Enough to publish it.
    Full,
}

/// A checked request.
#[derive(Debug)]
pub(crate) struct MatrixOptions {
    /// The workloads to measure, in the order of the table.
    pub(crate) workloads: Vec<Workload>,
    /// The runtimes to measure, serial first.
    pub(crate) kinds: Vec<RuntimeKind>,
    /// The numbers of computing threads.
    pub(crate) threads: Vec<usize>,
    /// How much to measure.
    pub(crate) scale: MatrixScale,
    /// Rounds per row, after the discarded one.
    pub(crate) rounds: usize,
    /// The n of the workload `fib`.
    pub(crate) fib: u64,
    /// JSON instead of tables.
    pub(crate) json: bool,
    /// The folder for the table as CSV.
    pub(crate) csv: Option<PathBuf>,
    /// Only list names.
    pub(crate) list: bool,
    /// The machine, before the first measurement.
    pub(crate) host: HostFacts,
    /// Iterations of [`clock::spin`] in a microsecond.
    pub(crate) spins_per_us: f64,
}

impl MatrixOptions {
    /// Checks `args`; the error is one line that says what to type instead.
    pub(crate) fn checked(args: MatrixArgs) -> Result<MatrixOptions, String> {
        let scale = if args.full {
            MatrixScale::Full
        } else {
            MatrixScale::Quick
        };
        let workloads = wanted(
            workloads::all(),
            |workload| workload.name,
            &args.workload,
            "workload",
            "--list names them",
        )?;
        let peers = RuntimeKind::BUILT
            .iter()
            .copied()
            .filter(|kind| *kind != RuntimeKind::Serial);
        let peers: Vec<_> = peers
            .filter(|kind| is_wanted(kind.name(), &args.runtime))
            .collect();
        if peers.is_empty() && !is_wanted("serial", &args.runtime) {
            return Err(format!(
                "no runtime matches {:?}; --list names them",
                args.runtime
            ));
        }
        if args.threads.contains(&0) {
            return Err("--threads takes numbers from 1, for example --threads 1,2".into());
        }
        if args.rounds == Some(0) {
            return Err("--rounds takes a number from 1, for example --rounds 5".into());
        }
        check_folder(args.csv.as_deref())?;
        Ok(MatrixOptions {
            workloads,
            kinds: std::iter::once(RuntimeKind::Serial).chain(peers).collect(),
            threads: args.threads,
            scale,
            rounds: args.rounds.unwrap_or(scale.pick(5, 21)),
            fib: args.fib.unwrap_or(scale.pick(30, 38)),
            json: args.json,
            csv: args.csv,
            list: args.list,
            host: HostFacts::this(),
            spins_per_us: if args.list {
                1.0
            } else {
                clock::spins_per_us()
            },
        })
    }

    /// The iterations of [`clock::spin`] that last `us` microseconds.
    pub(crate) fn spins(&self, us: f64) -> u64 {
        (self.spins_per_us * us).round() as u64
    }

    /// The thread counts at which something can run at the same time.
    pub(crate) fn parallel_threads(&self) -> impl Iterator<Item = usize> {
        self.threads.iter().copied().filter(|threads| *threads > 1)
    }
}

impl MatrixScale {
    /// `quick` or `full`, as asked.
    pub(crate) fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            MatrixScale::Quick => quick,
            MatrixScale::Full => full,
        }
    }
}
