//! One of a few names, all of which `--help` lists.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use filch_policy::steal::{VICTIMS, Victim};
use filch_sim::machine::{Adversary, Next, Order, PopTop, Scheduler};

/// How threads are scheduled.
pub(crate) fn scheduler() -> impl TypedValueParser<Value = Scheduler> {
    one_of(Scheduler::all().map(Scheduler::name))
}

/// Which request is served first.
pub(crate) fn adversary() -> impl TypedValueParser<Value = Adversary> {
    one_of(Adversary::ALL.map(Adversary::name))
}

/// Which ready instructions come first.
pub(crate) fn order() -> impl TypedValueParser<Value = Order> {
    one_of(Order::ALL.map(Order::name))
}

/// When a steal attempt may fail.
pub(crate) fn pop_top() -> impl TypedValueParser<Value = PopTop> {
    one_of(PopTop::ALL.map(PopTop::name))
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
