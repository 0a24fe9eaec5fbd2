//! Plans, points, rows and tables.

mod cuts;
mod plans;
mod refusals;
mod rows;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

use super::*;
use crate::Silent;
use crate::dispatch::{Demand, Farm, Sweep};
use crate::fleet::FleetStudy;
use crate::natural::{Process, RunLength, Study};

fn described(model: &str, grid: &[(&str, &[Value])]) -> Description {
    Description {
        model: model.to_owned(),
        grid: grid
            .iter()
            .map(|(name, values)| ((*name).to_owned(), values.to_vec()))
            .collect(),
        replications: Some(3),
        ..Description::default()
    }
}

/// Six points of the natural process, each of which takes no time.
fn small() -> Description {
    described(
        "natural",
        &[
            ("steps", &[200.into()]),
            ("lambda", &[0.5.into(), 0.8.into()]),
            ("processors", &[4.into(), 64.into(), 9.into()]),
        ],
    )
}

fn plan(described: &Description) -> Plan {
    Plan::new(described).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn number(plan: &Plan, row: &Row, column: &str) -> f64 {
    let results = plan.model().results.iter();
    let at = results.clone().position(|one| one.name == column);
    row.number(at.expect("a column")).expect("a number")
}
