//! Arguments in two steps: what was typed ([`raw`], clap's business), then what it means
//! ([`checked`], ours), so that every complaint names the argument and says what to type instead.

mod checked;
mod dag;
mod raw;
mod theory;
mod theory_dag;

pub(crate) use checked::{Command, Policies, Reproduce, Scale, parse};
pub(crate) use dag::{DagCommand, DagExport, DagMeasure, DagRun, DagShow, Source};
pub(crate) use raw::RawArgs;
pub(crate) use theory::Theory;
pub(crate) use theory_dag::{DagFigures, DagTheory};
