//! BL99 and ABP01: computations on P simulated processors.
//!
//! A grid of runs ([`grid`]) is compared with the bounds on time, space and communication
//! ([`bounds`], [`stealing`]). Smaller runs have every step checked against the lemmas
//! ([`checked`], [`lemmas`]). Many runs of one computation test the bounds that hold with a
//! probability ([`tails`]). The paper's example is in [`example`], the games of the proofs are in
//! [`games`].

mod bounds;
mod checked;
mod conditional;
mod delays;
mod example;
mod games;
mod grid;
mod lemmas;
mod moves;
mod orders;
mod plots;
mod sharing;
mod stealing;
mod tables;
mod tails;
mod watchers;

use crate::chapters::Setting;
use crate::values::Chapter;
use checked::{CheckPlan, CheckedRuns};
use grid::{DagGrid, DagGridPlan};

pub(super) const TITLE: &str = "Dags and schedulers: BL99 and ABP01";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = DagGridPlan::of(setting.scale);
    let checks = CheckPlan::of(setting.scale);
    setting.expect(
        plan.total()
            + checks.total()
            + orders::total(setting.scale, &plan)
            + delays::total(setting.scale)
            + tails::total(setting.scale)
            + moves::total(setting.scale)
            + conditional::total(setting.scale)
            + games::total(setting.scale),
    );
    let grid = DagGrid::run(setting, &plan);
    let checks = CheckedRuns::make(setting, &checks);

    let mut claims = example::claims();
    claims.extend(bounds::greedy_and_busy_leaves(&grid));
    claims.extend(orders::any_order(setting, &plan));
    claims.extend(checks.bl99());
    claims.extend(stealing::on_threads(&grid));
    claims.extend(delays::claims(setting));
    claims.extend(tails::stealing(setting));
    claims.push(moves::while_all_work(setting));
    claims.extend(sharing::less_than_sharing(&grid));
    claims.extend(games::recycling(setting));
    claims.extend(games::best_adversary(setting));
    claims.extend(checks.abp01());
    claims.extend(stealing::on_vertices(&grid));
    claims.extend(tails::vertex_stealing(setting));
    claims.extend(conditional::claims(setting));
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

fn text(plan: &DagGridPlan) -> String {
    let names: Vec<_> = plan.families.iter().map(ToString::to_string).collect();
    format!(
        "Computations are executed on P simulated processors: {}, P from {} to {}, {} runs for \
         each point of a randomised scheduler. There are five schedulers: greedy and busy-leaves \
         with a central pool that costs nothing, work stealing on threads (BL99, where requests to \
         a processor queue and one is served per step), work stealing on vertices (ABP01), and \
         work sharing, where each new thread goes to a random processor. Where BL99 \
         states a bound as O(…), the runs are compared with the constant that its delay sequences \
         give, made explicit in filch-theory; the report also shows the least constant that covers \
         all runs. \
         Space is counted in frames; they have size 1 in all families except random.",
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
    use crate::values::Outcome;
    use filch_random::Seed;

    /// The claims are theorems, so they hold at every scale, except for one: that stealing always
    /// sends less than sharing is an opinion. What the bound on stealing proves of it needs more
    /// threads than a sketch has.
    #[test]
    fn all_claims_hold() {
        let setting = Setting::new(Scale::Sketch, Seed::new(1), &Silent);
        let chapter = write(&setting);
        for claim in &chapter.claims {
            let expected = match claim.stated {
                "BL99, abstract and section 1, as a common opinion" => Outcome::DoesNotHold,
                "BL99, abstract and section 1" => Outcome::Undecided,
                _ => Outcome::Holds,
            };
            assert_eq!(claim.outcome, expected, "{claim:?}");
        }
        assert!(chapter.claims.len() >= 25, "{}", chapter.claims.len());
    }
}
