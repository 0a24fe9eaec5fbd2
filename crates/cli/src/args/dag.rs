//! `filch dag`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use filch_policy::steal::Victim;
use filch_random::Seed;
use filch_sim::machine::{Adversary, Machine, Next, Scheduler};
use filch_workload::dag::Family;

use super::checked::seed;
use super::raw::RawSimulation;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum RawDag {
    /// Work, span, stack depth and the kind of a computation
    Measure(RawMeasure),
    /// Run a computation on simulated processors
    Run(RawRun),
    /// Draw a schedule: a table, and a picture as SVG
    Show(RawShow),
    /// Write a computation to standard output, as a file for --file
    Export(RawExport),
}

/// Which computation.
#[derive(Debug, Args)]
pub(crate) struct RawSource {
    /// A computation with a name: figure1, fib:N, tree:DEPTH:GRAIN, chain:N, loop:N:GRAIN, comb:N,
    /// items:N:SHORT:LONG, halving:N:SHORT:LONG, nested:M:N:SHORT:LONG, deep:N:FRAME:SHORT:LONG,
    /// list:N:GRAIN, stairs:N:FILLERS:GRAIN, uneven:LEAVES:SHORT:LONG, random:THREADS:SEED or
    /// strict:THREADS:SEED
    #[arg(long, value_name = "F", conflicts_with = "file")]
    family: Option<String>,
    /// A computation in a file, as 'filch dag export' writes it
    #[arg(long, value_name = "FILE")]
    file: Option<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct RawMeasure {
    #[command(flatten)]
    source: RawSource,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RawExport {
    #[command(flatten)]
    source: RawSource,
}

/// Which machine.
#[derive(Debug, Args)]
pub(crate) struct RawMachine {
    /// How threads are scheduled: greedy, busy-leaves, stealing, vertex-stealing, leapfrog,
    /// leapfrog-near, help-any, hand-over, hand-over-extra or hand-over-own
    #[arg(long, value_name = "S")]
    scheduler: String,
    /// The number of processors
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    processors: String,
    /// Whose request is served first under stealing: fifo (the default), lifo or random
    #[arg(long, value_name = "A")]
    adversary: Option<String>,
    /// Which of two ready vertices comes next under vertex-stealing: continuation (the default) or
    /// spawned
    #[arg(long, value_name = "V")]
    next: Option<String>,
    /// Whom thieves ask: uniform (the default: any processor) or uniform-other (any other)
    #[arg(long, value_name = "C")]
    victim: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RawRun {
    #[command(flatten)]
    source: RawSource,
    #[command(flatten)]
    machine: RawMachine,
    /// How many independent runs
    #[arg(
        long,
        value_name = "R",
        default_value = "1",
        allow_hyphen_values = true
    )]
    runs: String,
    /// Check at every step what the papers promise of every step
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    simulation: RawSimulation,
}

#[derive(Debug, Args)]
pub(crate) struct RawShow {
    #[command(flatten)]
    source: RawSource,
    #[command(flatten)]
    machine: RawMachine,
    /// Write a picture of the schedule to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<OsString>,
    #[command(flatten)]
    simulation: RawSimulation,
}

/// What to do with a computation.
#[derive(Debug, PartialEq)]
pub(crate) enum DagCommand {
    Measure(DagMeasure),
    Run(DagRun),
    Show(DagShow),
    Export(DagExport),
}

/// Where a computation comes from.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    Family(Family),
    File(PathBuf),
}

#[derive(Debug, PartialEq)]
pub(crate) struct DagMeasure {
    pub(crate) source: Source,
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) struct DagExport {
    pub(crate) source: Source,
}

#[derive(Debug, PartialEq)]
pub(crate) struct DagRun {
    pub(crate) source: Source,
    pub(crate) machine: Machine,
    pub(crate) runs: usize,
    pub(crate) check: bool,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) struct DagShow {
    pub(crate) source: Source,
    pub(crate) machine: Machine,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// More would not fit into memory.
const MOST_PROCESSORS: u64 = 100_000_000;
const MOST_RUNS: u64 = 1_000_000;

pub(super) fn check(raw: RawDag) -> Result<DagCommand, Failure> {
    Ok(match raw {
        RawDag::Measure(raw) => DagCommand::Measure(DagMeasure {
            source: raw.source.check()?,
            json: raw.json,
        }),
        RawDag::Export(raw) => DagCommand::Export(DagExport {
            source: raw.source.check()?,
        }),
        RawDag::Run(raw) => DagCommand::Run(DagRun {
            source: raw.source.check()?,
            machine: raw.machine.check()?,
            runs: count("--runs", &raw.runs, MOST_RUNS)?,
            check: raw.check,
            seed: seed(&raw.simulation.seed)?,
            json: raw.simulation.json,
        }),
        RawDag::Show(raw) => DagCommand::Show(DagShow {
            source: raw.source.check()?,
            machine: raw.machine.check()?,
            svg: match raw.svg {
                Some(file) if file.is_empty() => {
                    return Err(Failure::usage(
                        "--svg is empty: name a file, such as --svg schedule.svg",
                    ));
                }
                file => file.map(PathBuf::from),
            },
            seed: seed(&raw.simulation.seed)?,
            json: raw.simulation.json,
        }),
    })
}

impl RawSource {
    pub(super) fn check(&self) -> Result<Source, Failure> {
        match (&self.family, &self.file) {
            (Some(name), _) => match name.parse() {
                Ok(family) => Ok(Source::Family(family)),
                Err(error) => Err(Failure::usage(format!("--family: {error}"))),
            },
            (None, Some(file)) if file.is_empty() => Err(Failure::usage(
                "--file is empty: name a file, or use --family figure1",
            )),
            (None, Some(file)) => Ok(Source::File(file.into())),
            (None, None) => Err(Failure::usage(
                "no computation: give --family F, such as --family fib:20, or --file FILE",
            )),
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.family.is_none() && self.file.is_none()
    }
}

impl RawMachine {
    fn check(&self) -> Result<Machine, Failure> {
        let named = |argument: &str, error: String| Failure::usage(format!("{argument}: {error}"));
        let scheduler: Scheduler = self
            .scheduler
            .parse()
            .map_err(|error| named("--scheduler", error))?;
        let mut machine = Machine::new(scheduler, processors(&self.processors)?);
        if let Some(name) = &self.adversary {
            only("--adversary", scheduler, &[Scheduler::Stealing])?;
            let adversary: Result<Adversary, _> = name.parse();
            machine.adversary = adversary.map_err(|error| named("--adversary", error))?;
        }
        if let Some(name) = &self.next {
            only("--next", scheduler, &[Scheduler::VertexStealing])?;
            let next: Result<Next, _> = name.parse();
            machine.next = next.map_err(|error| named("--next", error))?;
        }
        if let Some(name) = &self.victim {
            let thieves = [Scheduler::Stealing, Scheduler::VertexStealing];
            only("--victim", scheduler, &thieves)?;
            let victim: Result<Victim, _> = name.parse();
            machine.victim = victim.map_err(|error| named("--victim", error.to_string()))?;
        }
        Ok(machine)
    }
}

/// Refuses an argument that another scheduler than these would not look at.
fn only(argument: &str, given: Scheduler, known: &[Scheduler]) -> Result<(), Failure> {
    if known.contains(&given) {
        return Ok(());
    }
    let names: Vec<_> = known.iter().map(|scheduler| scheduler.name()).collect();
    Err(Failure::usage(format!(
        "{argument} means nothing to --scheduler {given}: leave it out, or use {}",
        names.join(" or ")
    )))
}

/// P.
pub(super) fn processors(text: &str) -> Result<usize, Failure> {
    count("--processors", text, MOST_PROCESSORS)
}

/// A whole number from 1 to `most`.
fn count(argument: &str, text: &str, most: u64) -> Result<usize, Failure> {
    match whole(argument, text, 1) {
        Ok(number) if number <= most => Ok(number as usize),
        _ => Err(Failure::usage(format!(
            "{argument} '{}' is not a whole number from 1 to {most}: use one such as {argument} 8",
            text.escape_debug()
        ))),
    }
}

/// A whole number of at least `least`.
pub(super) fn whole(argument: &str, text: &str, least: u64) -> Result<u64, Failure> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text
        .parse()
        .ok()
        .filter(|&number: &u64| digits && number >= least);
    number.ok_or_else(|| {
        Failure::usage(format!(
            "{argument} '{}' is not a whole number from {least} to {}: use one such as {argument} 8",
            text.escape_debug(),
            u64::MAX
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::checked::{Command, parse};
    use super::super::theory::Theory;
    use super::super::theory_dag::DagFigures;
    use super::*;

    fn read(line: &str) -> Result<Command, Failure> {
        parse(line.split(' ').map(OsString::from))
    }

    fn refused(line: &str) -> String {
        match read(line) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn defaults() {
        let expected = DagRun {
            source: Source::Family(Family::Figure1),
            machine: Machine::new(Scheduler::Stealing, 2),
            runs: 1,
            check: false,
            seed: Seed::default(),
            json: false,
        };
        let line = "filch dag run --family figure1 --scheduler stealing --processors 2";
        assert_eq!(read(line).unwrap(), Command::Dag(DagCommand::Run(expected)));
    }

    #[test]
    fn everything_said() {
        let expected = DagRun {
            source: Source::File("x.json".into()),
            machine: Machine {
                adversary: Adversary::Lifo,
                victim: Victim::UniformOther,
                ..Machine::new(Scheduler::Stealing, 1_000_000)
            },
            runs: 7,
            check: true,
            seed: Seed::new(9),
            json: true,
        };
        let line = "filch dag run --file x.json --scheduler stealing --processors 1000000 \
                    --adversary lifo --victim uniform-other --runs 7 --check --seed 9 --json";
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            read(&line).unwrap(),
            Command::Dag(DagCommand::Run(expected))
        );
        let show = "filch dag show --family figure1 --scheduler vertex-stealing --processors 2 --next spawned --svg a.svg";
        assert!(matches!(
            read(show).unwrap(),
            Command::Dag(DagCommand::Show(DagShow { machine, svg: Some(_), .. })) if machine.next == Next::Spawned
        ));
    }

    #[test]
    fn theory_of_figures_that_are_typed() {
        let line = "filch theory dag --work 100 --span 10 --processors 4";
        let Ok(Command::Theory(Theory::Dag(options))) = read(line) else {
            panic!("{line}");
        };
        assert!(matches!(
            options.about,
            DagFigures::Typed {
                work: 100,
                span: 10,
                ..
            }
        ));
        assert_eq!((options.processors, options.epsilon), (4, 0.01));
    }

    #[test]
    fn bad_arguments_get_one_line() {
        let run = "filch dag run --family fib:3 --scheduler";
        for (line, message) in [
            (
                format!("{run} stealing --processors 0"),
                "--processors '0' is not a whole number from 1 to 100000000: use one such as --processors 8",
            ),
            (
                format!("{run} stealing --processors -3"),
                "--processors '-3' is not a whole number from 1 to 100000000: use one such as --processors 8",
            ),
            (
                format!("{run} stealing --processors 2 --runs 0"),
                "--runs '0' is not a whole number from 1 to 1000000: use one such as --runs 8",
            ),
            (
                format!("{run} robbing --processors 2"),
                "--scheduler: unknown scheduler 'robbing': use greedy, busy-leaves, stealing, vertex-stealing, leapfrog, leapfrog-near, help-any, hand-over, hand-over-extra or hand-over-own",
            ),
            (
                format!("{run} stealing --processors 2 --adversary sly"),
                "--adversary: unknown adversary 'sly': use fifo, lifo or random",
            ),
            (
                format!("{run} greedy --processors 2 --adversary fifo"),
                "--adversary means nothing to --scheduler greedy: leave it out, or use stealing",
            ),
            (
                format!("{run} greedy --processors 2 --victim uniform"),
                "--victim means nothing to --scheduler greedy: leave it out, or use stealing or vertex-stealing",
            ),
            (
                "filch dag measure --family fob:3".to_owned(),
                "--family: unknown family 'fob:3': use figure1, fib:N, tree:DEPTH:GRAIN, chain:N, loop:N:GRAIN, comb:N, items:N:SHORT:LONG, halving:N:SHORT:LONG, nested:M:N:SHORT:LONG, deep:N:FRAME:SHORT:LONG, list:N:GRAIN, stairs:N:FILLERS:GRAIN, uneven:LEAVES:SHORT:LONG, random:THREADS:SEED or strict:THREADS:SEED",
            ),
            (
                "filch dag measure --family fib:99".to_owned(),
                "--family: fib:99: N must be a whole number from 0 to 80",
            ),
            (
                "filch dag measure".to_owned(),
                "no computation: give --family F, such as --family fib:20, or --file FILE",
            ),
            (
                "filch dag measure --family fib:3 --file x".to_owned(),
                "the argument '--family <F>' cannot be used with '--file <FILE>': see 'filch --help'",
            ),
            (
                "filch theory dag --processors 2".to_owned(),
                "no computation: give --family F, --file FILE, or --work N and --span N",
            ),
            (
                "filch theory dag --work 5 --processors 2".to_owned(),
                "--work and --span go together: give both, or --family F",
            ),
            (
                "filch theory dag --work 5 --span 6 --processors 2".to_owned(),
                "--span 6 is more than --work 5: a path has no more instructions than there are",
            ),
            (
                "filch theory dag --family fib:3 --processors 2 --epsilon 1".to_owned(),
                "--epsilon '1' is not a number between 0 and 1: use one such as --epsilon 0.01",
            ),
        ] {
            assert_eq!(refused(&line), message);
        }
    }
}
