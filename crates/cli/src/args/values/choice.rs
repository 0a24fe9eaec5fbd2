//! One of a few names, all of which `--help` lists.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use filch_policy::steal::{VICTIMS, Victim};
use filch_sim::machine::{Adversary, Next, Scheduler};

/// How threads are scheduled.
pub(crate) fn scheduler() -> impl TypedValueParser<Value = Scheduler> {
    one_of(Scheduler::all().map(Scheduler::name))
}

/// Which request is served first.
pub(crate) fn adversary() -> impl TypedValueParser<Value = Adversary> {
    one_of(Adversary::ALL.map(Adversary::name))
}

/// Which of two ready vertices comes next.
pub(crate) fn next() -> impl TypedValueParser<Value = Next> {
    one_of(Next::ALL.map(Next::name))
}

/// Which processors a thief asks.
pub(crate) fn victim() -> impl TypedValueParser<Value = Victim> {
    one_of(VICTIMS.iter().map(|victim| victim.form))
}

fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err: std::fmt::Debug> + Clone + Send + Sync + 'static,
{
    let parser = PossibleValuesParser::new(names.into_iter().collect::<Vec<_>>());
    parser.map(|name| name.parse().expect("every listed name is understood"))
}
