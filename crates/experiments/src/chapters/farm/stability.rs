//! The claims of PI sections 4.2 and 4.3 about stability.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;

use super::claims::{Sentence, VerdictCounts, listed, unstable_mixes};
use super::grid::{self, At, FigureGrid, MIXES};
use crate::values::Claim;

pub(super) fn stability(grid: &FigureGrid, batches: Batches, stated: &'static str) -> Vec<Claim> {
    let verdicts = |policy| VerdictCounts::of(grid, policy, grid.places(batches, 0.0..=1.0));
    let achieves = |claim, policy| {
        let verdicts = verdicts(policy);
        let unstable = verdicts.unstable.len() as f64;
        let said = Sentence {
            claim,
            stated,
            checked: format!("all mixes and loads, batches {batches}"),
        };
        said.found(verdicts.to_string(), unstable, 0.0, unstable == 0.0)
    };
    let jsq2: Vec<Option<f64>> = (0..MIXES.len())
        .map(|mix| {
            let places = grid.places(batches, 0.0..=1.0).filter(|at| at.mix == mix);
            let unstable = |at: &At| grid.run(*at, "jsq:2").estimates.verdict == Verdict::Unstable;
            places.filter(unstable).map(|at| grid.load(at)).next()
        })
        .collect();
    let onset =
        |load: &Option<f64>| load.map_or("nowhere".to_owned(), |load| format!("from {load}"));
    let onsets: Vec<_> = (0..MIXES.len())
        .map(|mix| format!("{} {}", grid::mix(mix), onset(&jsq2[mix])))
        .collect();
    let moderate = |load: Option<f64>| load.is_some_and(|load| load <= 0.95);
    let jiq = unstable_mixes(grid, "jiq", 0.99, batches);
    let (jiq_claim, expected) = match batches {
        Batches::Whole => (
            "JIQ appears unstable for loads close to 100 % for all ratios",
            3,
        ),
        Batches::Split => ("at 99 % JIQ is unstable in 1 of 3 mixes", 1),
    };
    let jiq_holds = jiq.len() == expected;
    vec![
        achieves(
            "PI appears to achieve the stability region for all ratios",
            "pi",
        ),
        achieves(
            "JSQ(1,1) appears to achieve the stability region",
            "jsq:1:1",
        ),
        Sentence {
            claim: "JSQ(2) appears unstable for moderately high loads for 50:50 and 90:10",
            stated,
            checked: "the least load with the verdict unstable, up to 95 %".to_owned(),
        }
        .found(
            onsets.join(", "),
            f64::NAN,
            f64::NAN,
            moderate(jsq2[1]) && moderate(jsq2[2]) && !moderate(jsq2[0]),
        ),
        Sentence {
            claim: jiq_claim,
            stated,
            checked: format!("99 % load, batches {batches}"),
        }
        .found(
            format!("unstable: {}", listed(&jiq)),
            jiq.len() as f64,
            expected as f64,
            jiq_holds,
        ),
    ]
}
