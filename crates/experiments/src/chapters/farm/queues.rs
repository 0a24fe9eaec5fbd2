//! The claims of PI sections 4.2 and 4.3 about queues.

use filch_sim::farm::Batches;

use super::claims::{COMPARABLE, MUCH, SPLIT, Sentence};
use super::contest::Contest;
use super::grid::FigureGrid;
use super::ratios::{largest, queue_ratio, shown, smallest, value};
use crate::values::Claim;

pub(super) fn queues(grid: &FigureGrid, batches: Batches, stated: &'static str) -> Vec<Claim> {
    let places = |loads| grid.places(batches, loads);
    let rivals = ["jiq", "jsq:2", "jsq:1:1"];
    let contests = rivals.map(|rival| Contest::of(grid, places(0.0..=1.0), "pi", rival));
    let lost: usize = contests.iter().map(|contest| contest.longer.len()).sum();
    let against: Vec<_> = rivals
        .iter()
        .zip(&contests)
        .map(|(rival, contest)| format!("{rival}: {contest}"))
        .collect();
    let jsq = largest(grid, places(0.0..=0.5), |at| {
        queue_ratio(grid, at, "pi", "jsq")
    });
    let high = largest(grid, places(0.55..=0.9), |at| {
        queue_ratio(grid, at, "pi", "jsq")
    });
    let memory = smallest(grid, places(0.5..=1.0), |at| {
        queue_ratio(grid, at, "jsq:1:1", "pi")
    });
    let two = smallest(grid, places(0.5..=1.0), |at| {
        queue_ratio(grid, at, "jsq:2", "pi")
    });
    let checked = |what: &str| format!("{what}, batches {batches}");
    let mut claims = vec![
        Sentence {
            claim: "the average queue under PI is favourable to that of other reduced-state \
                    policies",
            stated,
            checked: checked("paired differences, all mixes and loads"),
        }
        .found(against.join("; "), lost as f64, 0.0, lost == 0),
        Sentence {
            claim: "the average queue under PI is comparable to that under JSQ for low and \
                    moderate loads",
            stated,
            checked: checked("PI over JSQ, the largest ratio up to 50 %"),
        }
        .found(
            shown(&jsq),
            value(&jsq),
            COMPARABLE,
            value(&jsq) <= COMPARABLE,
        ),
        Sentence {
            claim: "the average queue is much larger under JSQ(1,1) than under PI",
            stated,
            checked: checked("JSQ(1,1) over PI, the smallest ratio from 50 %"),
        }
        .found(shown(&memory), value(&memory), MUCH, value(&memory) >= MUCH),
        Sentence {
            claim: "whenever JSQ(2) is stable, its average queue is much higher than under PI",
            stated,
            checked: checked(
                "JSQ(2) over PI, the smallest ratio from 50 %, where JSQ(2) is not \
                              unstable",
            ),
        }
        .found(shown(&two), value(&two), MUCH, value(&two) >= MUCH),
    ];
    if batches == Batches::Whole {
        claims.push(
            Sentence {
                claim: "PI has a performance comparable to JSQ up to high loads",
                stated: "PI section 1",
                checked: checked("PI over JSQ, the largest ratio from 55 to 90 %"),
            }
            .found(
                shown(&high),
                value(&high),
                COMPARABLE,
                value(&high) <= COMPARABLE,
            ),
        );
    }
    claims
}

pub(super) fn advantage_of_jsq(grid: &FigureGrid) -> Claim {
    // The geometric mean, over policies and places, of their queue over that of JSQ.
    let advantage = |batches| {
        let mut logs = Vec::new();
        for at in grid.places(batches, 0.5..=1.0) {
            for rival in ["pi", "jiq", "jsq:1:1"] {
                logs.extend(queue_ratio(grid, at, rival, "jsq").map(|ratio| ratio.number.ln()));
            }
        }
        (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
    };
    let [whole, split] = Batches::ALL.map(advantage);
    Sentence {
        claim: "the advantage of JSQ in comparison to the other policies increases when batches \
                are split",
        stated: SPLIT,
        checked: "queues of PI, JIQ and JSQ(1,1) over those of JSQ from 50 %, geometric mean"
            .to_owned(),
    }
    .found(
        format!("whole {whole:.3}, split {split:.3}"),
        split,
        whole,
        split > whole,
    )
}
