//! BL99 and ABP01: computations on P simulated processors.
//!
//! The parts: a grid of plain runs ([`grid`]) and what they say about time, space and
//! communication ([`bounds`]); smaller runs with every step checked ([`checked`]); the papers'
//! example ([`example`]); many runs of one computation for what holds with a probability ([`tails`]);
//! the games of the proofs ([`games`]).

mod bounds;
mod checked;
mod example;
mod games;
mod grid;
mod lemmas;
mod plots;
mod stealing;
mod tables;
mod tails;
mod watchers;

use crate::chapters::Setting;
use crate::values::Chapter;
use checked::{CheckPlan, CheckedRuns};
use grid::{Grid, GridPlan};

pub(super) const TITLE: &str = "Dags and schedulers: BL99 and ABP01";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = GridPlan::of(setting.scale);
    let checks = CheckPlan::of(setting.scale);
    setting.expect(
        plan.jobs() + checks.jobs() + tails::jobs(setting.scale) + games::jobs(setting.scale),
    );
    let grid = Grid::run(setting, &plan);
    let checks = CheckedRuns::make(setting, &checks);

    let mut claims = example::claims();
    claims.extend(bounds::greedy_and_busy_leaves(&grid));
    claims.extend(checks.bl99());
    claims.extend(stealing::on_threads(&grid));
    claims.extend(tails::stealing(setting));
    claims.extend(games::recycling(setting));
    claims.extend(checks.abp01());
    claims.extend(stealing::on_vertices(&grid));
    claims.extend(tails::vertex_stealing(setting));
    claims.extend(games::balls_and_bins(setting));

    Chapter {
        id: "dags",
        title: TITLE,
        text: text(&plan),
        measured: false,
        claims,
        tables: tables::tables(&grid),
        plots: plots::plots(&grid),
    }
}

fn text(plan: &GridPlan) -> String {
    let names: Vec<_> = plan.families.iter().map(ToString::to_string).collect();
    format!(
        "Computations unfold on P simulated processors: {}, P from {} to {}, {} runs for each \
         point where chance decides. Four schedulers: greedy and busy-leaves with a pool that costs \
         nothing, work stealing on threads (BL99, with requests that queue and are served one a \
         step), work stealing on vertices (ABP01). A bound without a constant (the papers say O) \
         is shown as the least constant that would have covered all runs; it is held against 64, \
         the constant that ABP01's proof gives for its own machine. Space is counted in frames, \
         of size 1 in all families but random.",
        names.join(", "),
        plan.processors[0],
        plan.processors.last().expect("some processors"),
        plan.runs,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::chapters::Scale;
    use filch_random::Seed;

    /// The claims are theorems, so they hold at any scale.
    #[test]
    fn all_claims_hold() {
        let setting = Setting::new(Scale::Sketch, Seed::new(1), &Silent);
        let chapter = write(&setting);
        for claim in &chapter.claims {
            assert!(claim.holds, "{claim:?}");
        }
        assert!(chapter.claims.len() >= 25, "{}", chapter.claims.len());
    }
}
