//! The claims of PI sections 4.2 and 4.3 about completion times.

use filch_sim::farm::Batches;

use super::claims::{COMPARABLE, Sentence, listed, unstable_mixes};
use super::grid::{self, At, FigureGrid};
use super::ratios::{largest, mean_time, shown, smallest, time_ratio, value};
use crate::values::Claim;

pub(super) fn completion_times(
    grid: &FigureGrid,
    batches: Batches,
    stated: &'static str,
) -> Vec<Claim> {
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
    // Where another policy is unstable, PI is better.
    let beaten = ["jiq", "jsq:2", "jsq:1:1"].map(|rival| best(rival, &mut high()));
    let least = beaten.iter().map(value).fold(f64::INFINITY, f64::min);
    let pi_everywhere = high().all(|at| mean_time(grid, at, "pi").is_some());
    let gone = ["jiq", "jsq:2"].map(|policy| unstable_mixes(grid, policy, 0.99, batches));
    let poor = best("jsq:1:1", &mut high());
    let mut claims = vec![
        Sentence {
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
        Sentence {
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
        Sentence {
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
        Sentence {
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
                Sentence {
                    claim: "at 50 % JSQ(2) is missing in the mix 50:50, as it is unstable",
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
                Sentence {
                    claim: "at 99 % both JIQ and JSQ(2) do not appear in 2 of 3 mixes, being \
                            unstable",
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
            Sentence {
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
