//! The lemmas about every step, on runs with every step checked.

use filch_sim::machine::{Scheduler, Violation};

use super::checked::CheckedRuns;
use crate::values::{Claim, Outcome};

impl CheckedRuns {
    pub(super) fn bl99(&self) -> Vec<Claim> {
        use Scheduler::{BusyLeaves, Greedy, Stealing};
        let most = self
            .runs
            .iter()
            .filter_map(|run| run.most_attempts)
            .fold(0.0, f64::max);
        let shortest = self.runs.iter().filter_map(|run| run.shortest_round).min();
        let stalled: u64 = self.runs.iter().map(|run| run.stalled_leaves).sum();
        vec![
            Claim {
                claim: "no leaf of a strict computation ever stalls".to_owned(),
                stated: "BL99, section 3",
                checked: self.described(&[Greedy]),
                found: format!("{stalled} stalled"),
                measured: Some(stalled as f64),
                bound: Some(0.0),
                outcome: Outcome::of(stalled == 0),
            },
            self.claim(
                "greedy and busy leaves execute all ready instructions of a step, up to P",
                "BL99, sections 2 and 3",
                &[Greedy, BusyLeaves],
                "greediness",
            ),
            self.claim(
                "in every step, a processor works on every leaf of the spawn subtree",
                "BL99, Theorem 3 and proof of Theorem 5",
                &[BusyLeaves, Stealing],
                "the busy-leaves",
            ),
            self.claim(
                "each thread in a deque is the parent of the one below; only the top one may have \
                 executed since it spawned that child",
                "BL99, Lemma 4",
                &[Stealing],
                "Lemma 4",
            ),
            Claim {
                claim: "at most P − 1 steal attempts begin in a step, so a round of at least 3·P \
                        attempts takes at least 4 steps"
                    .to_owned(),
                stated: "BL99, section 6",
                checked: self.described(&[Stealing]),
                found: format!(
                    "at most {most:.3}·(P − 1) in a step; the shortest round took {} steps",
                    shortest.map_or("no".to_owned(), |steps| steps.to_string())
                ),
                measured: Some(most),
                bound: Some(1.0),
                outcome: Outcome::of(most <= 1.0 && shortest.is_none_or(|steps| steps >= 4)),
            },
        ]
    }

    pub(super) fn abp01(&self) -> Vec<Claim> {
        let vertex = |claim, stated, invariant| {
            self.claim(claim, stated, &[Scheduler::VertexStealing], invariant)
        };
        vec![
            vertex(
                "along a work sequence, each designated parent is an ancestor of the one before \
                 in the enabling tree, a proper one except for the first two",
                "ABP01, structural lemma",
                "the structural lemma",
            ),
            vertex(
                "weights along a work sequence grow from the bottom to the top",
                "ABP01, corollary",
                "the corollary on weights",
            ),
            vertex(
                "the top of a deque holds at least 3/4 of its worker's potential",
                "ABP01, top-heavy deques",
                "the lemma on top-heavy",
            ),
            vertex(
                "the total potential never rises",
                "ABP01, decreasing total potential",
                "the decreasing potential",
            ),
            vertex(
                "a vertex that is assigned loses 2/3 of its potential, one that is executed at \
                 least 1/3",
                "ABP01, vertex assignment and decreasing total potential",
                "the lemma on vertex assignment",
            ),
            vertex(
                "steal attempts take at least half of the potential of the workers in D_i that \
                 they are at",
                "ABP01, proof of the lemma on P steal attempts",
                "the lemma on P steal attempts",
            ),
            vertex(
                "a round takes at least a third of the potential of H_i, the workers whose deques \
                 are empty",
                "ABP01, proof of the run-time bound",
                "the loss of workers",
            ),
        ]
    }

    /// A claim about every step. `invariant` is how the name of the check begins.
    fn claim(
        &self,
        claim: &str,
        stated: &'static str,
        schedulers: &[Scheduler],
        invariant: &str,
    ) -> Claim {
        let broken = self
            .runs
            .iter()
            .filter(|run| schedulers.contains(&run.scheduler));
        let broken: Vec<&Violation> = broken
            .filter_map(|run| run.violation.as_ref())
            .filter(|violation| violation.invariant.starts_with(invariant))
            .collect();
        Claim {
            claim: claim.to_owned(),
            stated,
            checked: self.described(schedulers),
            found: match broken.first() {
                None => "0 violations".to_owned(),
                Some(first) => format!("{} violations, first: {first}", broken.len()),
            },
            measured: Some(broken.len() as f64),
            bound: Some(0.0),
            outcome: Outcome::of(broken.is_empty()),
        }
    }

    fn described(&self, schedulers: &[Scheduler]) -> String {
        let runs = || {
            self.runs
                .iter()
                .filter(|run| schedulers.contains(&run.scheduler))
        };
        let names: Vec<_> = schedulers
            .iter()
            .map(|scheduler| scheduler.name())
            .collect();
        let steps: u64 = runs().map(|run| run.steps).sum();
        format!(
            "{}: {} runs of regular and random computations, all {steps} steps checked",
            names.join(" and "),
            runs().count()
        )
    }
}
