//! Arguments in two steps: what was typed ([`raw`], clap's business), then what it means
//! ([`checked`], ours), so that every complaint names the argument and says what to type instead.

mod checked;
mod dag;
mod dispatch;
mod natural;
mod proxy;
mod raw;
mod theory;
mod theory_dag;

pub(crate) use checked::{Command, Policies, Reproduce, parse};
pub(crate) use dag::{DagCommand, DagExport, DagMeasure, DagRun, DagShow, Source};
pub(crate) use dispatch::Dispatch;
pub(crate) use natural::Natural;
pub(crate) use proxy::{Demo, Proxy};
pub(crate) use raw::RawArgs;
pub(crate) use theory::{Theory, TheoryOfNatural};
pub(crate) use theory_dag::{DagFigures, DagTheory};
