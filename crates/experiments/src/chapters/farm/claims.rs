//! Claims about the figures, and counts of verdicts.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;

use super::grid::{self, At, FigureGrid, MIXES};
use crate::values::{Claim, Outcome};

pub(super) const UNSPLIT: &str = "PI section 4.2";
pub(super) const SPLIT: &str = "PI section 4.3";

/// “Comparable” and “competitive”: at most 10 % more.
pub(super) const COMPARABLE: f64 = 1.1;
/// “Much larger”: at least 50 % more.
pub(super) const MUCH: f64 = 1.5;

/// A sentence of the paper, and how it is checked.
pub(super) struct Sentence {
    pub(super) claim: &'static str,
    pub(super) stated: &'static str,
    pub(super) checked: String,
}

impl Sentence {
    pub(super) fn found(
        self,
        found: String,
        measured: f64,
        bound: f64,
        outcome: impl Into<Outcome>,
    ) -> Claim {
        Claim {
            claim: self.claim.to_owned(),
            stated: self.stated,
            checked: self.checked,
            found,
            measured: measured.is_finite().then_some(measured),
            bound: bound.is_finite().then_some(bound),
            outcome: outcome.into(),
        }
    }
}

/// How many places have each verdict, and which are unstable.
pub(super) struct VerdictCounts {
    pub(super) stable: usize,
    pub(super) undecided: usize,
    pub(super) unstable: Vec<String>,
}

impl VerdictCounts {
    pub(super) fn of(
        grid: &FigureGrid,
        places: impl Iterator<Item = At>,
        verdict: impl Fn(At) -> Verdict,
    ) -> Self {
        let mut verdicts = Self {
            stable: 0,
            undecided: 0,
            unstable: Vec::new(),
        };
        for at in places {
            match verdict(at) {
                Verdict::Stable => verdicts.stable += 1,
                Verdict::Undecided => verdicts.undecided += 1,
                Verdict::Unstable => verdicts.unstable.push(grid.named(at)),
            }
        }
        verdicts
    }
}

impl std::fmt::Display for VerdictCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} stable, {} undecided, {} unstable",
            self.stable,
            self.undecided,
            self.unstable.len()
        )?;
        match &self.unstable[..] {
            [] => Ok(()),
            [first, _, _, .., last] => write!(f, " ({first} … {last})"),
            few => write!(f, " ({})", few.join(", ")),
        }
    }
}

/// The mixes in which `policy` is unstable at this load.
pub(super) fn unstable_mixes(
    grid: &FigureGrid,
    policy: &str,
    load: f64,
    batches: Batches,
) -> Vec<String> {
    let mixes = (0..MIXES.len()).filter(|&mix| {
        let run = grid.run(grid.at(mix, load, batches), policy);
        run.estimates.verdict == Verdict::Unstable
    });
    mixes.map(grid::mix).collect()
}

/// A list of mixes, or `none`.
pub(super) fn listed(mixes: &[String]) -> String {
    if mixes.is_empty() {
        "none".to_owned()
    } else {
        mixes.join(", ")
    }
}
