//! Stealing beside sharing: what each sends.

use filch_sim::machine::Scheduler;
use filch_theory::machine::{communication, delay_sequence};

use super::bounds::{float, runs};
use super::grid::{DagGrid, RunSet};
use super::tables::points;
use crate::values::{Cell, Claim, Outcome, Table};

/// A point of the grid with more than one processor.
struct Pair<'a> {
    stealing: &'a RunSet,
    sharing: &'a RunSet,
}

fn sent(set: &RunSet) -> f64 {
    set.mean(|run| run.communication as f64)
}

impl Pair<'_> {
    /// Whether stealing sends less: decided where the runs of one all send less than the runs of
    /// the other. With ten runs of each, chance orders two equal laws so once in 90,000 points.
    fn outcome(&self) -> Outcome {
        let most = |set: &RunSet| set.max(|run| run.communication as f64);
        let least = |set: &RunSet| -set.max(|run| -(run.communication as f64));
        if most(self.stealing) < least(self.sharing) {
            Outcome::Holds
        } else if most(self.sharing) < least(self.stealing) {
            Outcome::DoesNotHold
        } else {
            Outcome::Undecided
        }
    }

    fn ratio(&self) -> f64 {
        sent(self.stealing) / sent(self.sharing)
    }

    /// What sharing sends, over P·Tinf·(1 + nd)·Smax.
    fn units(&self) -> f64 {
        sent(self.sharing) / float(&communication::size(&self.stealing.given))
    }
}

fn pairs(grid: &DagGrid) -> Vec<Pair<'_>> {
    grid.of(Scheduler::Stealing)
        .zip(grid.of(Scheduler::Sharing))
        .filter(|(stealing, _)| stealing.given.processors > 1)
        .map(|(stealing, sharing)| Pair { stealing, sharing })
        .collect()
}

/// What BL99 says of sharing: the opinion that it supports, everywhere; and what its bound proves.
pub(super) fn less_than_sharing(grid: &DagGrid) -> Vec<Claim> {
    let pairs = pairs(grid);
    vec![everywhere(grid, &pairs), by_the_bound(grid, &pairs)]
}

fn everywhere(grid: &DagGrid, pairs: &[Pair<'_>]) -> Claim {
    let with = |outcome: Outcome| pairs.iter().filter(move |pair| pair.outcome() == outcome);
    let most = pairs.iter().map(Pair::ratio).fold(0.0, f64::max);
    let mut found = format!(
        "stealing sends less at {} of {} points; {} more cannot be told",
        with(Outcome::Holds).count(),
        pairs.len(),
        with(Outcome::Undecided).count()
    );
    let more: Vec<String> = (0..grid.computations.len())
        .filter_map(|computation| {
            let mine = || {
                with(Outcome::DoesNotHold)
                    .filter(move |pair| pair.stealing.computation == computation)
            };
            let most = mine().map(Pair::ratio).reduce(f64::max)?;
            let at: Vec<_> = mine()
                .map(|pair| pair.stealing.given.processors.to_string())
                .collect();
            let family = &grid.computations[computation].family;
            Some(format!(
                "{family} with P = {}, up to {most:.3} times",
                at.join(", ")
            ))
        })
        .collect();
    if !more.is_empty() {
        let units = with(Outcome::DoesNotHold).map(Pair::units);
        let units = units.fold(0.0, f64::max);
        found += &format!(
            "; it sends more at {}. There sharing sends at most {units:.3}·P·Tinf·(1 + nd)·Smax: \
             the threads are few beside P·Tinf, and the bound on stealing promises nothing less",
            more.join("; ")
        );
    }
    Claim {
        claim: "stealing communicates less than sharing".to_owned(),
        stated: "BL99, abstract and section 1, as a common opinion",
        checked: format!(
            "{}; the {} points with P > 1; all runs of stealing against all runs of sharing",
            grid.described("stealing and sharing", runs(grid)),
            pairs.len()
        ),
        found,
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of_all(pairs.iter().map(Pair::outcome)),
    }
}

/// The abstract's argument: the bound on what stealing sends does not grow with the number of
/// threads, and what sharing sends does.
fn by_the_bound(grid: &DagGrid, pairs: &[Pair<'_>]) -> Claim {
    let proved: Vec<&Pair<'_>> = pairs
        .iter()
        .filter(|pair| {
            let edges = grid.computations[pair.stealing.computation]
                .measures
                .most_edges_out
                + 1;
            let bound = delay_sequence::expected_communication(&pair.stealing.given, edges);
            bound < sent(pair.sharing)
        })
        .collect();
    let most = proved.iter().map(|pair| pair.ratio()).fold(0.0, f64::max);
    Claim {
        claim: "where sharing sends more than the bound on stealing, which does not grow with the \
                number of threads, stealing communicates less"
            .to_owned(),
        stated: "BL99, abstract and section 1",
        checked: format!(
            "{}; the {} points where sharing sends more than the bound that delay sequences give \
             for stealing",
            grid.described("stealing and sharing", runs(grid)),
            proved.len()
        ),
        found: format!("stealing sends at most {most:.4} of what sharing sends, on average"),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of_all(proved.iter().map(|pair| pair.outcome())),
    }
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
