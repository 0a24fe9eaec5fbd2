//! Stealing beside sharing: what each sends.

use filch_sim::machine::Scheduler;

use super::bounds::runs;
use super::grid::{DagGrid, RunSet};
use super::tables::points;
use crate::values::{Cell, Claim, Outcome, Table};

/// Processors have plenty of work where the parallelism T1/Tinf is at least this many times P.
const PLENTY: f64 = 20.0;

pub(super) fn less_than_sharing(grid: &DagGrid) -> Vec<Claim> {
    let pairs: Vec<(&RunSet, &RunSet)> = grid
        .of(Scheduler::Stealing)
        .zip(grid.of(Scheduler::Sharing))
        .filter(|(stealing, _)| {
            let given = &stealing.given;
            let parallelism = given.work as f64 / given.span as f64;
            given.processors > 1 && parallelism >= PLENTY * given.processors as f64
        })
        .collect();
    let sent = |set: &RunSet| set.mean(|run| run.communication as f64);
    let outcomes = pairs.iter().map(|(stealing, sharing)| {
        let most = stealing.max(|run| run.communication as f64);
        let least = -sharing.max(|run| -(run.communication as f64));
        if most < least {
            Outcome::Holds
        } else if sent(stealing) > sent(sharing) {
            Outcome::DoesNotHold
        } else {
            Outcome::Undecided
        }
    });
    let mut most = 0.0;
    let mut where_most = "no point".to_owned();
    for (stealing, sharing) in &pairs {
        let ratio = sent(stealing) / sent(sharing);
        if ratio > most {
            let family = &grid.computations[stealing.computation].family;
            where_most = format!("{family}, P = {}", stealing.given.processors);
            most = ratio;
        }
    }
    vec![Claim {
        claim: "while all processors have plenty of work, stealing moves fewer threads than \
                sharing: it communicates less"
            .to_owned(),
        stated: "BL99, abstract and section 1",
        checked: format!(
            "{}; the {} points with 1 < P ≤ T1/Tinf / {PLENTY}; every run of stealing against \
             every run of sharing",
            grid.described("stealing and sharing", runs(grid)),
            pairs.len()
        ),
        found: format!(
            "stealing sends at most {most:.4} of what sharing sends, on average ({where_most})"
        ),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of_all(outcomes),
    }]
}

pub(super) fn table(grid: &DagGrid) -> Table {
    let rows = points(grid).map(|(name, sets)| {
        let mut row: Vec<Cell> = vec![name.into(), sets[0].given.processors.into()];
        let sent = |set: &&RunSet| Cell::from(set.mean(|run| run.communication as f64));
        row.extend(sets.iter().map(sent));
        row
    });
    Table {
        title: "Communication, in frames and messages: means. The pools of greedy and busy-leaves \
                cost nothing here but what moves"
            .to_owned(),
        columns: vec![
            "computation",
            "P",
            "greedy",
            "busy-leaves",
            "stealing",
            "vertex-stealing",
            "sharing",
        ],
        rows: rows.collect(),
    }
}
