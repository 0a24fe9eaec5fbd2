//! What a waiting worker may do: the rules of fork-join runtimes side by side.
//!
//! The parts: a grid of plain runs ([`grid`]) with tables, plots and claims about time, stacks and
//! space; smaller runs with every step checked ([`checked`]); how long to be patient and how many
//! workers to allow ([`sweeps`]); the programs that show what a rule does not promise ([`limits`]).

mod checked;
mod claims;
mod grid;
mod limits;
mod plots;
mod programs;
mod sweeps;
mod tables;

use filch_sim::machine::{Reach, Rule, WayBack};

use crate::chapters::Setting;
use crate::values::Chapter;
use grid::{RuleGrid, RuleGridPlan};

pub(super) const TITLE: &str = "What a waiting worker may do";

const NEAR: Rule = Rule::Leapfrog(Reach::Near);
const LEAPFROG: Rule = Rule::Leapfrog(Reach::Whole);
const HELP_ANY: Rule = Rule::HelpAny;
const HAND_OVER: Rule = Rule::HandOver(WayBack::Passed);
const EXTRA: Rule = Rule::HandOver(WayBack::Extra);
const OWN: Rule = Rule::HandOver(WayBack::Own);

/// The rules of the grid.
const RULES: [Rule; 5] = [LEAPFROG, HELP_ANY, HAND_OVER, EXTRA, OWN];

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = RuleGridPlan::of(setting.scale);
    setting.expect(
        plan.all_runs()
            + checked::runs(setting.scale)
            + sweeps::runs(setting.scale)
            + limits::runs(),
    );
    let grid = RuleGrid::run(setting, &plan);
    let mut claims = claims::of(&grid);
    claims.push(checked::claim(setting));
    claims.extend(limits::claims(setting));
    let mut plots = plots::plots(&grid);
    plots.extend(sweeps::plots(setting));
    Chapter {
        id: "waiting",
        title: TITLE,
        text: text(&plan),
        measured: false,
        claims,
        tables: tables::tables(&grid),
        plots,
    }
}

fn text(plan: &RuleGridPlan) -> String {
    format!(
        "A runtime that is a library steals children, and the frame of a task cannot leave its \
         stack. What may a worker do whose newest frame waits for a stolen child? It may run only \
         what is below that frame (leapfrog); anything at all (help-any, rayon's rule); or what is \
         below and, if there is nothing and there are tasks elsewhere, hand its seat to a spare \
         worker and sleep (hand-over). A seat is the right to run; a worker is a thread of the \
         operating system. When its child is done, a worker without a seat gets one from the worker \
         that completed the child (hand-over), gets an extra one (hand-over-extra), or waits for the \
         one that it had (hand-over-own). docs/waiting.md says what is proved of each. P is {} to {}; \
         an instruction stands for 10 µs, a steal takes 1, a wake-up 5, patience lasts 5.",
        plan.processors[0],
        plan.processors.last().expect("some processors"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::chapters::Scale;
    use filch_random::Seed;

    /// What is claimed of the rules holds at any scale.
    #[test]
    fn all_claims_hold() {
        let chapter = write(&Setting::new(Scale::Sketch, Seed::new(1), &Silent));
        for claim in &chapter.claims {
            assert!(claim.outcome.holds(), "{claim:?}");
        }
        assert!(chapter.claims.len() >= 10, "{}", chapter.claims.len());
    }
}
