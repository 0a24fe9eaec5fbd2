//! The arguments of `filch profile`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueHint};
use filch_experiments::profile::WhatIf;
use filch_profile::{Duration, SiteId};
use filch_sim::machine::replay::Prices;

use super::simulation::{SimulationArgs, ThreadsArgs};
use super::values::{Positive, Whole};
use crate::failure::Failure;
use crate::profile::Options;

#[derive(Debug, PartialEq, Args)]
pub(crate) struct ProfileArgs {
    /// A profile, as 'cargo filch profile' or a program with FILCH_PROFILE=FILE writes it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Numbers of processors to predict for, 1 to 4096, separated by commas [default: the powers of
    /// two up to 1024]
    #[arg(long, value_name = "P,P…", allow_hyphen_values = true)]
    processors: Option<ProcessorList>,
    /// The site that --faster, --serial or --cut-off changes: its number in the table of sites
    #[arg(
        long,
        value_name = "N",
        requires = "change",
        allow_negative_numbers = true
    )]
    site: Option<Whole<0, { u32::MAX as u64 }>>,
    /// What if all that runs under the site took K times less time
    #[arg(
        long,
        value_name = "K",
        group = "change",
        requires = "site",
        allow_negative_numbers = true
    )]
    faster: Option<Positive>,
    /// What if the site did not fork
    #[arg(long, group = "change", requires = "site")]
    serial: bool,
    /// What if the site did not fork where there is less work than this, such as 10us
    #[arg(
        long,
        value_name = "TIME",
        group = "change",
        requires = "site",
        allow_hyphen_values = true
    )]
    cut_off: Option<Time>,
    /// Look at this section alone: its number, in the order in which they were entered, from 0
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    section: Option<Whole<0, { u32::MAX as u64 }>>,
    /// What a fork, a steal and a wake-up take, such as 10ns,1us,50us [default: measured now, by
    /// which runs differ a little]
    #[arg(long, value_name = "FORK,STEAL,WAKE", allow_hyphen_values = true)]
    costs: Option<GivenCosts>,
    /// Write the recorded dag to this file, for 'filch dag run --file'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) export_dag: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

/// Numbers of processors.
#[derive(Clone, Debug, PartialEq)]
struct ProcessorList(Vec<usize>);

/// More than this are a slip of the finger.
const MOST_ROWS: usize = 100;

impl FromStr for ProcessorList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |part: &str| part.trim().parse().map(|p: Whole<1, 4096>| p.size());
        let mut list: Vec<usize> = text.split(',').map(read).collect::<Result<_, _>>()?;
        list.sort_unstable();
        list.dedup();
        if list.len() > MOST_ROWS {
            return Err(format!("more than {MOST_ROWS} numbers: leave some out"));
        }
        Ok(Self(list))
    }
}

/// A time with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Time(Duration);

const UNITS: [(&str, f64); 6] = [
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("µs", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
];

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let typed = text.trim();
        let split = typed.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, unit) = typed.split_at(split.unwrap_or(typed.len()));
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim());
        let number = super::values::real(number).filter(|&number| number < 1e6);
        match (number, unit) {
            (Some(number), Some((_, picos))) => {
                Ok(Self(Duration::from_picos((number * picos).round() as u64)))
            }
            _ => Err(format!(
                "'{}' is no time: use a number and ns, us, ms or s, such as 10us",
                text.escape_debug()
            )),
        }
    }
}

/// The costs of another machine.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GivenCosts([Duration; 3]);

impl FromStr for GivenCosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read: Result<Vec<Time>, String> = text.split(',').map(str::parse).collect();
        match read?[..] {
            [Time(fork), Time(steal), Time(wake)] => Ok(Self([fork, steal, wake])),
            _ => Err(format!(
                "'{}' is not three times: write 10ns,1us,50us",
                text.escape_debug()
            )),
        }
    }
}

impl ProfileArgs {
    /// What is asked.
    pub(crate) fn options(&self) -> Options {
        let site = self.site.map(|site| SiteId(site.get() as u32));
        let what_if = site.and_then(|site| {
            let faster = self.faster.map(|factor| WhatIf::Faster(site, factor.get()));
            let serial = self.serial.then_some(WhatIf::Serial(site));
            let cut_off = self.cut_off.map(|Time(least)| WhatIf::CutOff(site, least));
            faster.or(serial).or(cut_off)
        });
        let default = Options::default();
        Options {
            processors: match &self.processors {
                Some(ProcessorList(list)) => list.clone(),
                None => default.processors,
            },
            what_if,
            section: self.section.map(Whole::size),
            prices: self.costs.map(|GivenCosts([fork, steal, wake])| Prices {
                fork,
                steal,
                wake,
                search: filch_experiments::profile::SEARCH,
                patience: filch_experiments::profile::PATIENCE,
                start: wake,
            }),
            seed: self.simulation.seed,
        }
    }

    /// Refuses costs that contradict one another.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.costs {
            Some(GivenCosts([_, steal, wake])) if wake < steal => Err(Failure::usage(
                "--costs: a wake-up takes at least as long as a steal: write FORK,STEAL,WAKE",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let time = |text: &str| text.parse::<Time>().map(|Time(time)| time.picos());
        assert_eq!(time("10us"), Ok(10_000_000));
        assert_eq!(time("1.5 ms"), Ok(1_500_000_000));
        assert_eq!(time("250ns"), Ok(250_000));
        assert_eq!(time("2s"), Ok(2_000_000_000_000));
        for text in ["", "10", "us", "-1us", "1h", "nan s", "1e9s", "1 0us"] {
            let error = time(text).unwrap_err();
            assert_eq!(
                error,
                format!("'{text}' is no time: use a number and ns, us, ms or s, such as 10us")
            );
        }
    }

    #[test]
    fn processors_are_listed_once_and_in_order() {
        let list = |text: &str| text.parse::<ProcessorList>().map(|list| list.0);
        assert_eq!(list("8,1, 2,8"), Ok(vec![1, 2, 8]));
        assert!(list("0,1").unwrap_err().contains("from 1 to 4096"));
        assert!(list("").is_err());
        let many: Vec<String> = (1..=101).map(|p: u32| p.to_string()).collect();
        assert!(list(&many.join(",")).unwrap_err().starts_with("more than"));
    }
}
