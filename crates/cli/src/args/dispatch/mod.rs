//! `filch dispatch`: what can be typed, and what it means.

mod loads;
mod scenario;
mod servers;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use filch_experiments::dispatch::{Demand, Farm};
use filch_policy::dispatch::{Spec, View};
use filch_random::Seed;
use filch_sim::farm::{Batches, Length};

use super::checked::seed;
use super::raw::RawSimulation;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct RawDispatch {
    /// A scenario file (TOML) that says what the options on servers, load, policies and batches say,
    /// and more
    #[arg(
        value_name = "FILE",
        conflicts_with_all = ["servers", "load", "loads", "policy", "split", "whole", "allow_overload"]
    )]
    scenario: Option<OsString>,
    /// Classes of servers; a capacity is a mean, for uniform from 1 on, or a name such as constant:3
    #[arg(
        long,
        value_name = "NAME=COUNT@CAPACITY,…",
        default_value = "slow=50@1,fast=50@10"
    )]
    servers: String,
    /// The load: what arrives in a slot as a part of what all servers can do, Poisson batches
    #[arg(
        long,
        value_name = "L",
        allow_hyphen_values = true,
        default_value = "0.9"
    )]
    load: String,
    /// Several loads, as 0.05:0.95:0.05
    #[arg(
        long,
        value_name = "FROM:TO:STEP",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    loads: Option<String>,
    /// Policies ('filch policies' lists them)
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "pi,jiq,jsq,jsq:2,jsq:1:1"
    )]
    policy: String,
    /// A batch goes to one server (the default)
    #[arg(long, conflicts_with = "split")]
    whole: bool,
    /// A batch may be spread over several servers
    #[arg(long)]
    split: bool,
    /// How many slots [default: 100000, or what the scenario says]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    slots: Option<String>,
    /// Slots at the start that do not count [default: for the mean queue as MSER-5 finds, otherwise 0]
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    warmup: Option<String>,
    /// Allow loads of 1 and more, under which queues grow for ever
    #[arg(long)]
    allow_overload: bool,
    /// Write the raw results into this folder: runs.csv, queues.csv, completions.csv
    #[arg(long, value_name = "DIR")]
    csv: Option<OsString>,
    #[command(flatten)]
    simulation: RawSimulation,
}

/// What to simulate: every farm under every demand, whole or split, with every policy.
#[derive(Debug, PartialEq)]
pub(crate) struct Dispatch {
    pub(crate) farms: Vec<Farm>,
    pub(crate) demands: Vec<Demand>,
    pub(crate) batches: Vec<Batches>,
    pub(crate) policies: Vec<Spec>,
    pub(crate) slots: u32,
    /// `None` if nobody said how much to leave out.
    pub(crate) warm_up: Option<u32>,
    pub(crate) csv: Option<PathBuf>,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// What the scenario or the options say, before one is checked against the other.
struct Described {
    farms: Vec<Farm>,
    demands: Vec<Demand>,
    batches: Vec<Batches>,
    policies: Vec<Spec>,
    slots: Option<u32>,
    warm_up: Option<u32>,
    seed: Option<Seed>,
    /// What to blame if a policy does not fit the servers.
    place: String,
}

pub(super) fn check(raw: RawDispatch) -> Result<Dispatch, Failure> {
    // The scenario may name a seed; one that is typed counts more, and 1 is what is typed by default.
    let typed = seed(&raw.simulation.seed)?;
    let described = match &raw.scenario {
        Some(file) => scenario::read(file.as_ref())?,
        None => typed_out(&raw)?,
    };
    let whole = |name: &str, text: &Option<String>| match text {
        Some(text) => number(name, text).map(Some),
        None => Ok(None),
    };
    let slots = whole("--slots", &raw.slots)?.or(described.slots);
    let slots = slots.unwrap_or(100_000);
    let warm_up = whole("--warmup", &raw.warmup)?.or(described.warm_up);
    if slots == 0 || warm_up.is_some_and(|warm_up| warm_up >= slots) {
        return Err(Failure::usage(format!(
            "--slots {slots} leaves nothing to count: use more slots than warm-up{}",
            warm_up.map_or(String::new(), |warm_up| format!(", which is {warm_up}"))
        )));
    }
    for farm in &described.farms {
        fits(farm, &described)?;
    }
    let csv = match raw.csv {
        Some(folder) if folder.is_empty() => {
            return Err(Failure::usage(
                "--csv is empty: name a folder, such as --csv results",
            ));
        }
        csv => csv.map(PathBuf::from),
    };
    Ok(Dispatch {
        farms: described.farms,
        demands: described.demands,
        batches: described.batches,
        policies: described.policies,
        slots,
        warm_up,
        csv,
        seed: match described.seed {
            Some(seed) if typed == Seed::default() => seed,
            _ => typed,
        },
        json: raw.simulation.json,
    })
}

/// Every policy can work in front of these servers, and every demand can be met or is meant.
fn fits(farm: &Farm, described: &Described) -> Result<(), Failure> {
    let queues = vec![0; farm.servers.count()];
    let view = View::of_queues(&queues).with_speeds(farm.servers.speeds());
    let refuse = |problem: String| Failure::usage(format!("{}: {problem}", described.place));
    for policy in &described.policies {
        policy
            .start(&view)
            .map_err(|error| refuse(error.to_string()))?;
    }
    for demand in &described.demands {
        let arrivals = demand
            .arrivals(&farm.servers)
            .map_err(|error| refuse(error.to_string()))?;
        arrivals
            .start()
            .map_err(|error| refuse(error.to_string()))?;
    }
    Ok(())
}

fn typed_out(raw: &RawDispatch) -> Result<Described, Failure> {
    let servers = servers::parse(&raw.servers)
        .map_err(|problem| Failure::usage(format!("--servers {problem}")))?;
    let loads = match &raw.loads {
        Some(text) => loads::range(text, raw.allow_overload)
            .map_err(|problem| Failure::usage(format!("--loads {problem}")))?,
        None => vec![
            loads::one(&raw.load, raw.allow_overload)
                .map_err(|problem| Failure::usage(format!("--load {problem}")))?,
        ],
    };
    Ok(Described {
        farms: vec![Farm {
            name: raw.servers.clone(),
            servers,
        }],
        demands: loads.into_iter().map(Demand::Load).collect(),
        batches: vec![if raw.split {
            Batches::Split
        } else {
            Batches::Whole
        }],
        policies: policies(raw.policy.split(','))
            .map_err(|problem| Failure::usage(format!("--policy: {problem}")))?,
        slots: None,
        warm_up: None,
        seed: None,
        place: "filch dispatch".to_owned(),
    })
}

/// Each policy once, in the order given.
fn policies<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Spec>, String> {
    let mut policies: Vec<Spec> = Vec::new();
    for name in names {
        let policy = name
            .parse()
            .map_err(|error: filch_policy::ParseError| error.to_string())?;
        if policies.contains(&policy) {
            return Err(format!("'{}' is named twice", name.escape_debug()));
        }
        policies.push(policy);
    }
    Ok(policies)
}

/// A number of slots.
fn number(argument: &str, text: &str) -> Result<u32, Failure> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text
        .parse()
        .ok()
        .filter(|&number| digits && number <= Length::MOST_SLOTS);
    number.ok_or_else(|| {
        Failure::usage(format!(
            "{argument} '{}' is not a whole number from 0 to {}: use one such as {argument} 10000",
            text.escape_debug(),
            Length::MOST_SLOTS
        ))
    })
}
