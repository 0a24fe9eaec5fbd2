//! The claims of PI sections 4.2 and 4.3 about stability.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;

use super::claims::{Sentence, VerdictCounts, listed, unstable_mixes};
use super::grid::{self, At, FigureGrid, MIXES};
use super::looks::{ERROR, until_decided};
use crate::chapters::Setting;
use crate::chapters::significance::allowed_errors;
use crate::values::{Claim, Outcome};

/// The replications of the other runs have lower numbers.
const FIRST: u64 = 1 << 24;

/// The verdicts on a policy everywhere. Where the run of the figures is undecided, the policy is
/// run again, longer.
fn verdicts(
    setting: &Setting<'_>,
    grid: &FigureGrid,
    batches: Batches,
    policy: &str,
) -> VerdictCounts {
    let open: Vec<At> = grid
        .places(batches, 0.0..=1.0)
        .filter(|at| grid.run(*at, policy).estimates.verdict == Verdict::Undecided)
        .collect();
    let again = setting.more_runs(open.len(), |number| {
        let at = open[number as usize];
        let (slow, fast) = MIXES[at.mix];
        let servers = grid::farm(slow, fast, 10.0);
        let arrivals = grid::arrivals(&servers, grid.load(at));
        let streams = (setting.seed, FIRST + 8 * number);
        let policy = (grid::named(policy), batches);
        until_decided(&servers, policy, arrivals, grid.plan.slots, streams).verdict
    });
    let places = grid.places(batches, 0.0..=1.0);
    VerdictCounts::of(grid, places, |at| {
        let looked = open
            .iter()
            .position(|open| (open.mix, open.load) == (at.mix, at.load));
        looked.map_or(grid.run(at, policy).estimates.verdict, |number| {
            again[number]
        })
    })
}

pub(super) fn stability(
    setting: &Setting<'_>,
    grid: &FigureGrid,
    batches: Batches,
    stated: &'static str,
) -> Vec<Claim> {
    let achieves = |claim, policy| {
        let verdicts = verdicts(setting, grid, batches, policy);
        let unstable = verdicts.unstable.len() as f64;
        let said = Sentence {
            claim,
            stated,
            checked: format!(
                "all mixes and loads, batches {batches}; where a run is undecided, up to three \
                 more, each twice as long"
            ),
        };
        let all = verdicts.stable + verdicts.undecided + verdicts.unstable.len();
        let allowed = allowed_errors(all as u64, ERROR);
        let outcome = if verdicts.unstable.len() as u64 > allowed {
            Outcome::DoesNotHold
        } else if verdicts.undecided > 0 {
            Outcome::Undecided
        } else {
            Outcome::Holds
        };
        said.found(verdicts.to_string(), unstable, allowed as f64, outcome)
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
    // Runs without a verdict could decide either way.
    let open = (0..MIXES.len())
        .filter(|&mix| {
            let run = grid.run(grid.at(mix, 0.99, batches), "jiq");
            run.estimates.verdict == Verdict::Undecided
        })
        .count();
    let jiq_holds = Outcome::if_decided(if open == 0 {
        Some(jiq.len() == expected)
    } else if (jiq.len()..=jiq.len() + open).contains(&expected) {
        None
    } else {
        Some(false)
    });
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
