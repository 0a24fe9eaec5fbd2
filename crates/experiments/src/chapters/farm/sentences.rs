//! Each sentence of PI sections 4.2 and 4.3 that claims something about stability, queues and completion
//! times.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;

use super::claims::{
    COMPARABLE, Contest, MUCH, Said, Verdicts, largest, listed, mean_time, queue_ratio, shown,
    smallest, time_ratio, unstable_mixes, value,
};
use super::grid::{self, At, Grid, MIXES};
use crate::values::Claim;

pub(super) const UNSPLIT: &str = "PI section 4.2";
pub(super) const SPLIT: &str = "PI section 4.3";

pub(super) fn of(grid: &Grid) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (batches, stated) in [(Batches::Whole, UNSPLIT), (Batches::Split, SPLIT)] {
        claims.extend(stability(grid, batches, stated));
        claims.extend(queues(grid, batches, stated));
        claims.extend(completion_times(grid, batches, stated));
    }
    claims.push(advantage_of_jsq(grid));
    claims
}

fn all(batches: Batches) -> String {
    format!("all mixes and loads, batches {batches}")
}

fn stability(grid: &Grid, batches: Batches, stated: &'static str) -> Vec<Claim> {
    let verdicts = |policy| Verdicts::of(grid, policy, grid.places(batches, 0.0..=1.0));
    let achieves = |claim, policy| {
        let verdicts = verdicts(policy);
        let unstable = verdicts.unstable.len() as f64;
        let said = Said {
            claim,
            stated,
            checked: all(batches),
        };
        said.found(verdicts.to_string(), unstable, 0.0, unstable == 0.0)
    };
    let jsq2: Vec<Option<f64>> = (0..MIXES.len())
        .map(|mix| {
            let places = grid.places(batches, 0.0..=1.0).filter(|at| at.mix == mix);
            let unstable = |at: &At| grid.cell(*at, "jsq:2").measured.verdict == Verdict::Unstable;
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
        Said {
            claim: "JSQ(2) appears unstable for moderately high loads for 50:50 and 90:10",
            stated,
            checked: "the least load called unstable, up to 95 %".to_owned(),
        }
        .found(
            onsets.join(", "),
            f64::NAN,
            f64::NAN,
            moderate(jsq2[1]) && moderate(jsq2[2]) && !moderate(jsq2[0]),
        ),
        Said {
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

fn queues(grid: &Grid, batches: Batches, stated: &'static str) -> Vec<Claim> {
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
        Said {
            claim: "the average queue under PI is favourable to that of other reduced-state policies",
            stated,
            checked: checked("paired differences, all mixes and loads"),
        }
        .found(against.join("; "), lost as f64, 0.0, lost == 0),
        Said {
            claim: "… and comparable to that of JSQ for low and moderate loads",
            stated,
            checked: checked("PI over JSQ, the largest ratio up to 50 %"),
        }
        .found(shown(&jsq), value(&jsq), COMPARABLE, value(&jsq) <= COMPARABLE),
        Said {
            claim: "the average queue is much larger under JSQ(1,1) than under PI",
            stated,
            checked: checked("the smallest ratio from 50 %"),
        }
        .found(shown(&memory), value(&memory), MUCH, value(&memory) >= MUCH),
        Said {
            claim: "whenever JSQ(2) is stable, its average queue is much higher than under PI",
            stated,
            checked: checked("the smallest ratio from 50 %, where it is not unstable"),
        }
        .found(shown(&two), value(&two), MUCH, value(&two) >= MUCH),
    ];
    if batches == Batches::Whole {
        claims.push(
            Said {
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

fn completion_times(grid: &Grid, batches: Batches, stated: &'static str) -> Vec<Claim> {
    let half = || grid.places(batches, 0.5..=0.5);
    let high = || grid.places(batches, 0.99..=0.99);
    let worst = |policy: &str| largest(grid, half(), |at| time_ratio(grid, at, policy, "jsq"));
    let best = |policy: &str, places: &mut dyn Iterator<Item = At>| {
        smallest(grid, places, |at| time_ratio(grid, at, policy, "pi"))
    };
    let (pi, jiq) = (worst("pi"), worst("jiq"));
    let competitive = value(&pi).max(value(&jiq));
    let (two, memory) = (best("jsq:2", &mut half()), best("jsq:1:1", &mut half()));
    let missing = unstable_mixes(grid, "jsq:2", 0.5, batches);
    // Where a rival is unstable it cannot beat PI.
    let beaten = ["jiq", "jsq:2", "jsq:1:1"].map(|rival| best(rival, &mut high()));
    let least = beaten.iter().map(value).fold(f64::INFINITY, f64::min);
    let pi_everywhere = high().all(|at| mean_time(grid, at, "pi").is_some());
    let gone = ["jiq", "jsq:2"].map(|policy| unstable_mixes(grid, policy, 0.99, batches));
    let poor = best("jsq:1:1", &mut high());
    let mut claims = vec![
        Said {
            claim: "at 50 % PI and JIQ are competitive to JSQ for all ratios",
            stated,
            checked: format!("mean completion time over that of JSQ, batches {batches}"),
        }
        .found(
            format!("at most PI {}, JIQ {}", shown(&pi), shown(&jiq)),
            competitive,
            COMPARABLE,
            competitive <= COMPARABLE,
        ),
        Said {
            claim: "at 50 % JSQ(2) and JSQ(1,1) show lesser performance",
            stated,
            checked: format!("mean completion time over that of PI, batches {batches}"),
        }
        .found(
            format!(
                "at least JSQ(2) {}, JSQ(1,1) {}",
                shown(&two),
                shown(&memory)
            ),
            value(&two).min(value(&memory)),
            1.0,
            value(&two).min(value(&memory)) > 1.0,
        ),
        Said {
            claim: "at 99 % PI shows the best overall performance after JSQ",
            stated,
            checked: format!("mean completion time over that of PI, batches {batches}"),
        }
        .found(
            format!(
                "at least JIQ {}, JSQ(2) {}, JSQ(1,1) {}",
                shown(&beaten[0]),
                shown(&beaten[1]),
                shown(&beaten[2])
            ),
            least,
            1.0,
            pi_everywhere && least >= 1.0,
        ),
        Said {
            claim: "at 99 % JSQ(1,1) again performs poorly",
            stated,
            checked: format!("mean completion time over that of PI, batches {batches}"),
        }
        .found(
            format!("at least {}", shown(&poor)),
            value(&poor),
            1.0,
            value(&poor) > 1.0,
        ),
    ];
    match batches {
        Batches::Whole => {
            claims.push(
                Said {
                    claim: "at 50 % JSQ(2) is missing at 50:50, as it is unstable",
                    stated,
                    checked: "verdict at 50 %, batches whole".to_owned(),
                }
                .found(
                    format!("unstable: {}", listed(&missing)),
                    f64::NAN,
                    f64::NAN,
                    missing.contains(&grid::mix(1)),
                ),
            );
            claims.push(
                Said {
                    claim: "at 99 % both JIQ and JSQ(2) do not appear in 2 of 3 mixes, being unstable",
                    stated,
                    checked: "verdict at 99 %, batches whole".to_owned(),
                }
                .found(
                    format!("JIQ: {}; JSQ(2): {}", listed(&gone[0]), listed(&gone[1])),
                    f64::NAN,
                    f64::NAN,
                    gone.iter().all(|mixes| mixes.len() == 2),
                ),
            );
        }
        Batches::Split => claims.push(
            Said {
                claim: "at 99 % JSQ(2) is unstable in 2 of 3 mixes",
                stated,
                checked: "verdict at 99 %, batches split".to_owned(),
            }
            .found(
                format!("unstable: {}", listed(&gone[1])),
                gone[1].len() as f64,
                2.0,
                gone[1].len() == 2,
            ),
        ),
    }
    claims
}

fn advantage_of_jsq(grid: &Grid) -> Claim {
    // How many times longer the others' queues are, averaged over rivals and places in logarithms.
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
    Said {
        claim: "the advantage of JSQ in comparison to the other policies increases when batches are split",
        stated: SPLIT,
        checked: "queues of PI, JIQ and JSQ(1,1) over those of JSQ from 50 %, geometric mean".to_owned(),
    }
    .found(format!("whole {whole:.3}, split {split:.3}"), split, whole, split > whole)
}
