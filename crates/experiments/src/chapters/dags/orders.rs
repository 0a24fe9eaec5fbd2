//! Theorem 1 for several greedy schedules.

use filch_sim::machine::{Machine, Order, Scheduler};
use filch_theory::machine::greedy;
use filch_workload::dag::Family;

use super::grid::DagGridPlan;
use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;
use crate::values::{Claim, Outcome};

/// Random schedules of each computation on each number of processors.
fn random(scale: Scale) -> usize {
    scale.pick(3, 5, 3)
}

fn each(scale: Scale) -> usize {
    2 + random(scale)
}

pub(super) fn total(scale: Scale, plan: &DagGridPlan) -> usize {
    plan.families.len() * plan.processors.len() * each(scale)
}

pub(super) fn any_order(setting: &Setting<'_>, plan: &DagGridPlan) -> Vec<Claim> {
    let each = each(setting.scale);
    let families: Vec<_> = plan.families.iter().map(Family::computation).collect();
    let measures: Vec<_> = plan.families.iter().map(Family::measures).collect();
    let points = plan.processors.len() * each;
    let runs = setting.runs(plan.families.len() * points, |at| {
        let (family, at) = (at as usize / points, at as usize % points);
        let (processors, which) = (plan.processors[at / each], at % each);
        let machine = Machine {
            order: Order::ALL[which.min(2)],
            ..Machine::new(Scheduler::Greedy, processors)
        };
        let given = hypotheses(&measures[family], processors);
        let outcome = machine.run(&families[family], setting.seed, which as u64);
        let part = outcome.time as f64 / greedy::time(&given);
        (part, greedy::holds(&given, outcome.time))
    });
    let most = runs.iter().map(|(part, _)| *part).fold(0.0, f64::max);
    let names: Vec<_> = plan.families.iter().map(ToString::to_string).collect();
    vec![Claim {
        claim: "any greedy schedule takes at most T1/P + Tinf".to_owned(),
        stated: "BL99, Theorem 1",
        checked: format!(
            "greedy on {}; of the ready instructions the oldest first, the newest first, and {} \
             random choices; P = {} to {}",
            names.join(", "),
            random(setting.scale),
            plan.processors[0],
            plan.processors.last().expect("some processors"),
        ),
        found: format!(
            "at most {most:.4} of T1/P + Tinf in {} schedules",
            runs.len()
        ),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of(runs.iter().all(|(_, holds)| *holds)),
    }]
}
