//! The kinds of names, and the names of each kind.

use std::fmt::Display;
use std::str::FromStr;

use filch_policy::Description;
use filch_policy::dispatch::Spec;
use filch_policy::steal::{self, StealFunction, Victim};
use filch_sim::machine::multiprogrammed::{AnyKernel, KernelName};
use filch_sim::natural::rivals::{Rival, RivalName};
use filch_workload::{Arrivals, Capacity, Names, Placement};

/// One kind of name.
pub(super) struct NameKind {
    /// What such a name is called, in the plural.
    pub(super) title: &'static str,
    /// The question that it answers.
    pub(super) question: &'static str,
    pub(super) names: Vec<(&'static str, &'static str)>,
    /// Reads a name and prints it back as filch writes it.
    pub(super) check: fn(&str) -> Result<String, String>,
}

fn check<T: FromStr<Err: Display> + Display>(name: &str) -> Result<String, String> {
    name.parse::<T>()
        .map(|read| read.to_string())
        .map_err(|error| error.to_string())
}

fn described(names: impl IntoIterator<Item = Description>) -> Vec<(&'static str, &'static str)> {
    names
        .into_iter()
        .map(|name| (name.form, name.meaning))
        .collect()
}

pub(super) fn kinds() -> [NameKind; 8] {
    let kind = |title, question, names, check| NameKind {
        title,
        question,
        names,
        check,
    };
    let named = |names: Names| names.to_vec();
    [
        kind(
            "dispatch policies",
            "where a batch of jobs goes",
            described(Spec::descriptions()),
            check::<Spec>,
        ),
        kind(
            "steal functions",
            "how many of its jobs an asked processor gives away, at most half",
            described(steal::FUNCTIONS.iter().copied()),
            check::<StealFunction>,
        ),
        kind(
            "victim choices",
            "which processor one without work asks",
            described(steal::VICTIMS.iter().copied()),
            check::<Victim>,
        ),
        kind(
            "placements",
            "which processors host the generators of jobs",
            named(Placement::NAMES),
            check::<Placement>,
        ),
        kind(
            "arrivals",
            "how many jobs arrive in a slot",
            named(Arrivals::NAMES),
            check::<Arrivals>,
        ),
        kind(
            "capacities",
            "how many jobs a server can finish in a slot",
            named(Capacity::NAMES),
            check::<Capacity>,
        ),
        kind(
            "rivals of the natural process",
            "how processors balance the jobs of the same generators",
            Rival::NAMES.to_vec(),
            check::<RivalName>,
        ),
        kind(
            "kernels",
            "which processes of a computation run in a step",
            AnyKernel::NAMES.to_vec(),
            check::<KernelName>,
        ),
    ]
}
