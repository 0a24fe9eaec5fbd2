//! The claims of PI sections 4.2 and 4.3 about messages, and Proposition 3.1.

use filch_sim::farm::Batches;
use filch_theory::farm::most_messages;

use super::claims::{SPLIT, Sentence, UNSPLIT};
use super::grid::{At, FigureGrid};
use super::ratios::{largest, shown, smallest, value};
use crate::values::Claim;

pub(super) fn of(grid: &FigureGrid) -> Vec<Claim> {
    let mut claims = unsplit(grid);
    claims.extend(split(grid));
    claims.push(proposition_3_1(grid));
    claims
}

fn unsplit(grid: &FigureGrid) -> Vec<Claim> {
    let per_slot = |at: At, policy: &str| grid.run(at, policy).estimates.messages_per_slot;
    let whole = |loads| grid.places(Batches::Whole, loads);
    let off = |policy: &str, constant: f64| {
        largest(grid, whole(0.0..=1.0), |at| {
            Some((per_slot(at, policy) / constant - 1.0).abs())
        })
    };
    let [jsq, two, memory] = [off("jsq", 100.0), off("jsq:2", 2.0), off("jsq:1:1", 2.0)];
    let most = value(&jsq).max(value(&two)).max(value(&memory));
    let one = ["pi", "jiq"].map(|policy| {
        largest(grid, whole(0.0..=0.8), |at| {
            Some((per_slot(at, policy) - 1.0).abs())
        })
    });
    let off_one = value(&one[0]).max(value(&one[1]));
    let falls = ["pi", "jiq"].map(|policy| {
        largest(grid, whole(0.99..=0.99), |at| {
            let before = grid.at(at.mix, 0.5, Batches::Whole);
            Some(per_slot(at, policy) - per_slot(before, policy))
        })
    });
    let highest = value(&falls[0]).max(value(&falls[1]));
    vec![
        Sentence {
            claim: "the message overhead is approximately constant: 100 for JSQ, 2 for JSQ(2) and \
                    JSQ(1,1)",
            stated: UNSPLIT,
            checked: "largest relative deviation over mixes and loads".to_owned(),
        }
        .found(shown(&jsq), most, 0.01, most <= 0.01),
        Sentence {
            claim: "PI and JIQ send 1 message per slot up to a high load",
            stated: UNSPLIT,
            checked: "largest deviation from 1 up to 80 %".to_owned(),
        }
        .found(
            format!("PI {}, JIQ {}", shown(&one[0]), shown(&one[1])),
            off_one,
            0.05,
            off_one <= 0.05,
        ),
        Sentence {
            claim: "as the load increases, the message overhead of both decreases",
            stated: UNSPLIT,
            checked: "messages at 99 % minus messages at 50 %, the largest".to_owned(),
        }
        .found(
            format!("PI {}, JIQ {}", shown(&falls[0]), shown(&falls[1])),
            highest,
            0.0,
            highest < 0.0,
        ),
    ]
}

fn split(grid: &FigureGrid) -> Vec<Claim> {
    let split = |loads| grid.places(Batches::Split, loads);
    let per_job = |at: At, policy: &str| {
        let run = grid.run(at, policy);
        run.messages as f64 / run.jobs.max(1) as f64
    };
    let per_slot = |at: At, policy: &str| grid.run(at, policy).estimates.messages_per_slot;
    let reached = largest(grid, split(0.0..=1.0), |at| Some(per_job(at, "pi")));
    let below = largest(grid, split(0.0..=1.0), |at| {
        Some(per_slot(at, "pi").max(per_slot(at, "jiq")))
    });
    let lower = smallest(grid, split(0.5..=0.5), |at| {
        Some(per_slot(at, "pi").min(per_slot(at, "jiq")))
    });
    let part = ["pi", "jiq"].map(|policy| {
        largest(grid, split(0.99..=0.99), |at| {
            let before = grid.at(at.mix, 0.5, Batches::Split);
            Some(per_slot(at, policy) / per_slot(before, policy))
        })
    });
    let most = value(&part[0]).max(value(&part[1]));
    vec![
        Sentence {
            claim: "the overhead of token-based policies may reach 1 message per job",
            stated: SPLIT,
            checked: "PI, messages per job, the largest over mixes and loads".to_owned(),
        }
        .found(
            shown(&reached),
            value(&reached),
            0.95,
            value(&reached) >= 0.95,
        ),
        Sentence {
            claim: "the message overhead of PI and JIQ is often lower than that of JSQ",
            stated: SPLIT,
            checked: "messages per slot, the largest over mixes and loads; JSQ needs 100"
                .to_owned(),
        }
        .found(shown(&below), value(&below), 100.0, value(&below) < 100.0),
        Sentence {
            claim: "JSQ(2) and JSQ(1,1) have a lower message overhead in this case",
            stated: SPLIT,
            checked: "messages per slot of PI and JIQ at 50 %, the fewest; JSQ(2) needs 2"
                .to_owned(),
        }
        .found(shown(&lower), value(&lower), 2.0, value(&lower) > 2.0),
        Sentence {
            claim: "at 99 % the message overhead of token-based policies rapidly decreases",
            stated: SPLIT,
            checked: "messages at 99 % over messages at 50 %, the largest ratio".to_owned(),
        }
        .found(
            format!("PI {}, JIQ {}", shown(&part[0]), shown(&part[1])),
            most,
            0.5,
            most < 0.5,
        ),
    ]
}

fn proposition_3_1(grid: &FigureGrid) -> Claim {
    let most = Batches::ALL
        .into_iter()
        .flat_map(|batches| grid.places(batches, 0.0..=1.0))
        .map(|at| {
            let run = grid.run(at, "pi");
            run.messages as f64 / most_messages(run.sub_batches) as f64
        })
        .fold(0.0, f64::max);
    Sentence {
        claim: "PI sends at most one message for each batch, PI-Split at most one for each \
                sub-batch",
        stated: "PI Proposition 3.1",
        checked: "messages over batches or sub-batches, every run of PI".to_owned(),
    }
    .found(format!("at most {most:.6}"), most, 1.0, most <= 1.0)
}
