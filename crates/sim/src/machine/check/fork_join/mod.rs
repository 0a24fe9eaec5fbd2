//! What the rules of fork-join machines promise; `docs/waiting.md` says why.

mod busy_leaves;
mod completeness;
mod descendants;
mod seats;
mod space;
mod stack_depth;
mod stranded;

#[cfg(test)]
mod mutants;

pub(super) use busy_leaves::BusyStacks;
pub(super) use completeness::Completeness;
pub(super) use descendants::Descendants;
pub(super) use seats::Seats;
pub(super) use space::StackSpace;
pub(super) use stack_depth::StackDepth;
pub(super) use stranded::Stranded;

use super::{Checks, Invariant, Watched, buckets};
use crate::machine::fork_join::{ForkJoin, Rule, WayBack};
use crate::machine::stack_ledger::StackLedger;

impl<'a> Checks<'a> {
    /// What `machine` promises by its rule.
    pub fn fork_join(watched: &Watched<'a>, machine: &ForkJoin) -> Self {
        let mut invariants: Vec<Box<dyn Invariant>> = vec![
            Box::new(buckets::Buckets::of(watched)),
            Box::new(Completeness),
        ];
        let rule = machine.rule;
        if rule != Rule::HandOver(WayBack::Extra) {
            invariants.push(Box::new(Seats::of(watched)));
        }
        if rule != Rule::HelpAny {
            invariants.push(Box::new(Descendants));
            invariants.push(Box::new(StackDepth::of(watched)));
        }
        if !matches!(rule, Rule::HelpAny | Rule::HandOver(WayBack::Own)) {
            invariants.push(Box::new(BusyStacks));
        }
        if matches!(rule, Rule::Leapfrog(_) | Rule::HandOver(WayBack::Passed)) {
            invariants.push(Box::new(StackSpace::of(watched)));
        }
        let is_bounded = machine.workers != usize::MAX;
        let promises_time = matches!(rule, Rule::HandOver(WayBack::Passed | WayBack::Own));
        if promises_time && !is_bounded {
            invariants.push(Box::new(Stranded::of(machine)));
        }
        let mut checks = Self::of(watched, invariants);
        checks.books.stacks = Some(StackLedger::default());
        checks
    }
}
