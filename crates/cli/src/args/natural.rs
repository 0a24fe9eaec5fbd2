//! The arguments of `filch natural`.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use filch_experiments::natural::Process;
use filch_random::Seed;
use filch_sim::natural::MOST_PROCESSORS;
use filch_workload::Placement;

use super::checked;
use super::raw::RawSimulation;
use crate::failure::Failure;

/// n, λ, f and D: what `filch natural` and `filch theory natural` share.
#[derive(Debug, Args)]
pub(crate) struct RawProcess {
    /// How many processors, and as many generators
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    processors: String,
    /// The probability with which a generator makes a job in a step
    #[arg(long, value_name = "L", allow_hyphen_values = true)]
    lambda: String,
    /// How many of its jobs an asked processor gives away: 'filch policies' lists the steal
    /// functions
    #[arg(long, value_name = "F", default_value = "half")]
    steal: String,
    /// Where the generators sit: 'filch policies' lists the placements
    #[arg(long, value_name = "G", default_value = "one")]
    generators: String,
    /// The constant c of the bounds, which their proof wants "sufficiently large"
    #[arg(
        long,
        value_name = "C",
        default_value = "2",
        allow_hyphen_values = true
    )]
    c: String,
}

#[derive(Debug, Args)]
pub(crate) struct RawNatural {
    #[command(flatten)]
    process: RawProcess,
    /// Steps of each run, its warm-up included
    #[arg(
        long,
        value_name = "K",
        default_value = "10000",
        allow_hyphen_values = true
    )]
    steps: String,
    /// Steps that do not count for the estimates (half of K)
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    warmup: Option<String>,
    /// Independent runs
    #[arg(
        long,
        value_name = "R",
        default_value = "8",
        allow_hyphen_values = true
    )]
    replications: String,
    /// Also measure how long it takes to recover from J jobs in one queue
    #[arg(long, value_name = "J", allow_hyphen_values = true)]
    recover: Option<String>,
    /// End a run when the system load exceeds J jobs
    #[arg(
        long,
        value_name = "J",
        default_value = "1000000000000",
        allow_hyphen_values = true
    )]
    cut: String,
    /// Write the system load over time to this file, as CSV
    #[arg(long, value_name = "FILE")]
    trace: Option<OsString>,
    #[command(flatten)]
    simulation: RawSimulation,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Natural {
    pub(crate) process: Process,
    pub(crate) steps: u64,
    pub(crate) warmup: u64,
    pub(crate) replications: usize,
    pub(crate) recover: Option<u64>,
    pub(crate) cut: u64,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// More jobs than this are not exact as a float, which is what estimators take.
const MOST_LOAD: u64 = 1 << 53;

pub(super) fn check(raw: RawNatural) -> Result<Natural, Failure> {
    let process = raw.process.check()?;
    let steps = whole("--steps", &raw.steps, 1..=1 << 48, "10000")?;
    let warmup = match raw.warmup {
        Some(text) => whole("--warmup", &text, 0..=1 << 48, "1000")?,
        None => steps / 2,
    };
    if steps <= warmup {
        return Err(Failure::usage(format!(
            "--steps {steps} leaves nothing after --warmup {warmup}: use more steps, such as --steps {}",
            2 * warmup.max(1)
        )));
    }
    let replications = whole("--replications", &raw.replications, 1..=1 << 20, "8")?;
    let load = |name, text: &str| whole(name, text, 1..=MOST_LOAD, "1000000");
    let trace = match raw.trace {
        Some(path) if path.is_empty() => {
            return Err(Failure::usage(
                "--trace is empty: name a file, such as --trace load.csv",
            ));
        }
        path => path.map(PathBuf::from),
    };
    Ok(Natural {
        process,
        steps,
        warmup,
        replications: replications as usize,
        recover: raw
            .recover
            .map(|text| load("--recover", &text))
            .transpose()?,
        cut: load("--cut", &raw.cut)?,
        trace,
        seed: checked::seed(&raw.simulation.seed)?,
        json: raw.simulation.json,
    })
}

impl RawProcess {
    pub(super) fn check(&self) -> Result<Process, Failure> {
        let named =
            |name: &str, error: &dyn std::fmt::Display| Failure::usage(format!("{name}: {error}"));
        let most = MOST_PROCESSORS as u64;
        let processors = whole("--processors", &self.processors, 1..=most, "1000")? as usize;
        let lambda = self
            .lambda
            .parse()
            .map_err(|error| named("--lambda", &error))?;
        let steal = self
            .steal
            .parse()
            .map_err(|error| named("--steal", &error))?;
        let placement: Placement = self
            .generators
            .parse()
            .map_err(|error| named("--generators", &error))?;
        // Whether it fits the number of processors is only known when it is started.
        placement
            .start(processors)
            .map_err(|error| named("--generators", &error))?;
        let c = match self.c.parse() {
            Ok(c) if 0.0 < c && c <= 1e12 => c,
            _ => {
                return Err(Failure::usage(format!(
                    "--c '{}' is not a positive number up to 1e12: use one such as --c 2",
                    self.c.escape_debug()
                )));
            }
        };
        Ok(Process {
            processors,
            lambda,
            steal,
            placement,
            c,
        })
    }
}

fn whole(
    name: &str,
    text: &str,
    range: RangeInclusive<u64>,
    example: &str,
) -> Result<u64, Failure> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        Failure::usage(format!(
            "{name} '{}' is not a whole number from {} to {}: use one such as {name} {example}",
            text.escape_debug(),
            range.start(),
            range.end()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Command, parse};
    use super::*;
    use filch_policy::steal::StealFunction;
    use filch_workload::Probability;

    fn read(line: &str) -> Result<Command, Failure> {
        parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn defaults_and_everything_said() {
        let short = read("filch natural --processors 100 --lambda 0.9").unwrap();
        let Command::Natural(short) = short else {
            panic!("{short:?}");
        };
        assert_eq!(
            (short.steps, short.warmup, short.replications),
            (10_000, 5000, 8)
        );
        assert_eq!(short.process.steal, StealFunction::HALF);
        assert_eq!(short.process.placement, Placement::One);

        let line = "filch natural --processors 8 --lambda 0.5 --steal const:3 --generators k:2 --steps 900 --warmup 0 \
                    --replications 2 --recover 77 --cut 5000 --trace t.csv --c 1.5 --seed 9 --json";
        let expected = Natural {
            process: Process {
                processors: 8,
                lambda: Probability::new(0.5).unwrap(),
                steal: "const:3".parse().unwrap(),
                placement: "k:2".parse().unwrap(),
                c: 1.5,
            },
            steps: 900,
            warmup: 0,
            replications: 2,
            recover: Some(77),
            cut: 5000,
            trace: Some("t.csv".into()),
            seed: Seed::new(9),
            json: true,
        };
        let words = line.split_whitespace().map(OsString::from);
        assert_eq!(parse(words).unwrap(), Command::Natural(expected));
    }

    #[test]
    fn bad_arguments_get_one_line() {
        for (more, message) in [
            (
                "--processors 0 --lambda 0.5",
                "--processors '0' is not a whole number from 1 to 2147483647: use one such as --processors 1000",
            ),
            (
                "--processors 5 --lambda 1.5",
                "--lambda: 1.5: a probability is between 0 and 1, both included: \
                 0.9 means that a generator makes a job in nine steps out of ten",
            ),
            (
                "--processors 5 --lambda -0.5",
                "--lambda: -0.5: a probability is between 0 and 1, both included: \
                 0.9 means that a generator makes a job in nine steps out of ten",
            ),
            (
                "--processors 5 --lambda 0.5 --steal most",
                "--steal: unknown steal function 'most': use one of half, fraction:R, one, const:K, sqrt, log2, min(F,K)",
            ),
            (
                "--processors 5 --lambda 0.5 --generators all",
                "--generators: unknown placement 'all': use each, one, k:K, uniform, rotate or zipf:S",
            ),
            (
                "--processors 5 --lambda 0.5 --generators k:6",
                "--generators: k:6: with 5 processors, K must be an integer from 1 to 5",
            ),
            (
                "--processors 5 --lambda 0.5 --steps 100 --warmup 100",
                "--steps 100 leaves nothing after --warmup 100: use more steps, such as --steps 200",
            ),
            (
                "--processors 5 --lambda 0.5 --steps 0",
                "--steps '0' is not a whole number from 1 to 281474976710656: use one such as --steps 10000",
            ),
            (
                "--processors 5 --lambda 0.5 --replications 0",
                "--replications '0' is not a whole number from 1 to 1048576: use one such as --replications 8",
            ),
            (
                "--processors 5 --lambda 0.5 --c 0",
                "--c '0' is not a positive number up to 1e12: use one such as --c 2",
            ),
            (
                "--processors 5 --lambda 0.5 --trace=",
                "--trace is empty: name a file, such as --trace load.csv",
            ),
        ] {
            match read(&format!("filch natural {more}")) {
                Err(Failure::Usage(given)) => assert_eq!(given, message),
                other => panic!("{more}: {other:?}"),
            }
        }
    }
}
