//! The kinds of names that parameters take.

use std::fmt::Display;
use std::str::FromStr;

use filch_policy::dispatch::Spec;
use filch_policy::steal::{self, StealFunction, VICTIMS, Victim};
use filch_sim::machine::{Adversary, Next, Order, PopTop, Scheduler};
use filch_workload::dag::Family;
use filch_workload::{Arrivals, Names, Placement};

use super::super::parameter::{NameRule, ParameterKind};
use crate::dispatch::Classes;

/// The name as `T` prints it.
fn canonical<T: FromStr<Err: Display> + Display>(text: &str) -> Result<String, String> {
    let read: Result<T, T::Err> = text.parse();
    read.map(|name| name.to_string())
        .map_err(|error| error.to_string())
}

fn forms(names: Names) -> Vec<&'static str> {
    names.iter().map(|(form, _)| *form).collect()
}

const fn name(
    canonical: fn(&str) -> Result<String, String>,
    forms: fn() -> Vec<&'static str>,
) -> ParameterKind {
    ParameterKind::Name(NameRule { canonical, forms })
}

pub(super) const STEAL: ParameterKind = name(canonical::<StealFunction>, || {
    steal::FUNCTIONS.iter().map(|known| known.form).collect()
});

pub(super) const PLACEMENT: ParameterKind =
    name(canonical::<Placement>, || forms(Placement::NAMES));

pub(super) const POLICY: ParameterKind = name(canonical::<Spec>, || {
    Spec::descriptions().map(|known| known.form).collect()
});

pub(super) const SERVERS: ParameterKind = name(canonical::<Classes>, Vec::new);

pub(super) const FAMILY: ParameterKind = name(canonical::<Family>, || forms(Family::NAMES));

pub(super) const SCHEDULER: ParameterKind = name(canonical::<Scheduler>, || {
    Scheduler::all().map(Scheduler::name).collect()
});

pub(super) const ORDER: ParameterKind =
    name(canonical::<Order>, || Order::ALL.map(Order::name).to_vec());

pub(super) const ADVERSARY: ParameterKind = name(canonical::<Adversary>, || {
    Adversary::ALL.map(Adversary::name).to_vec()
});

pub(super) const NEXT: ParameterKind =
    name(canonical::<Next>, || Next::ALL.map(Next::name).to_vec());

pub(super) const POP_TOP: ParameterKind = name(canonical::<PopTop>, || {
    PopTop::ALL.map(PopTop::name).to_vec()
});

pub(super) const VICTIM: ParameterKind = name(canonical::<Victim>, || {
    VICTIMS.iter().map(|known| known.form).collect()
});

/// Arrivals that a plan says all about: a trace is a file, which may differ between machines.
pub(super) const ARRIVALS: ParameterKind = name(
    |text| match text.parse() {
        Ok(Arrivals::Trace(_)) => Err(format!(
            "{}: a sweep reads no traces, which may differ between machines: use poisson:L, \
             bernoulli:P or constant:K",
            text.escape_debug()
        )),
        _ => canonical::<Arrivals>(text),
    },
    || forms(Arrivals::NAMES),
);

pub(super) const BATCHES: ParameterKind = name(
    |text| match text {
        "whole" | "split" => Ok(text.to_owned()),
        _ => Err(format!("'{}' is none of whole, split", text.escape_debug())),
    },
    || vec!["whole", "split"],
);
