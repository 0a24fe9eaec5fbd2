//! Each sentence of PI sections 4.2 and 4.3 that claims something, and Proposition 3.1.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;
use filch_theory::farm::most_messages;

use super::super::super::chapter::Claim;
use super::claims::{
    COMPARABLE, Contest, Extreme, MUCH, Said, Verdicts, largest, listed, mean_time, queue_ratio,
    smallest, time_ratio, unstable_mixes,
};
use super::grid::{self, At, Grid, MIXES};

const UNSPLIT: &str = "PI section 4.2";
const SPLIT: &str = "PI section 4.3";

pub(super) fn of(grid: &Grid) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (batches, stated) in [(Batches::Whole, UNSPLIT), (Batches::Split, SPLIT)] {
        claims.extend(stability(grid, batches, stated));
        claims.extend(queues(grid, batches, stated));
        claims.extend(completion_times(grid, batches, stated));
    }
    claims.extend(messages_unsplit(grid));
    claims.extend(messages_split(grid));
    claims.push(advantage_of_jsq(grid));
    claims.push(proposition_3_1(grid));
    claims
}

fn all(batches: Batches) -> String {
    format!("all mixes and loads, batches {batches}")
}

fn shown(extreme: &Option<Extreme>) -> String {
    extreme
        .as_ref()
        .map_or("nothing to compare".to_owned(), Extreme::to_string)
}

fn value(extreme: &Option<Extreme>) -> f64 {
    extreme.as_ref().map_or(f64::NAN, |extreme| extreme.value)
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

fn messages_unsplit(grid: &Grid) -> Vec<Claim> {
    let per_slot = |at: At, policy: &str| grid.cell(at, policy).measured.messages_per_slot;
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
        Said {
            claim: "the message overhead is approximately constant: 100 for JSQ, 2 for JSQ(2) and JSQ(1,1)",
            stated: UNSPLIT,
            checked: "largest relative deviation over mixes and loads".to_owned(),
        }
        .found(shown(&jsq), most, 0.01, most <= 0.01),
        Said {
            claim: "PI and JIQ send 1 message per slot up to a high load",
            stated: UNSPLIT,
            checked: "largest deviation from 1 up to 80 %".to_owned(),
        }
        .found(format!("PI {}, JIQ {}", shown(&one[0]), shown(&one[1])), off_one, 0.05, off_one <= 0.05),
        Said {
            claim: "as the load increases, the message overhead of both decreases",
            stated: UNSPLIT,
            checked: "messages at 99 % less those at 50 %, the largest".to_owned(),
        }
        .found(
            format!("PI {}, JIQ {}", shown(&falls[0]), shown(&falls[1])),
            highest,
            0.0,
            highest < 0.0,
        ),
    ]
}

fn messages_split(grid: &Grid) -> Vec<Claim> {
    let split = |loads| grid.places(Batches::Split, loads);
    let per_job = |at: At, policy: &str| {
        let cell = grid.cell(at, policy);
        cell.messages as f64 / cell.jobs.max(1) as f64
    };
    let per_slot = |at: At, policy: &str| grid.cell(at, policy).measured.messages_per_slot;
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
        Said {
            claim: "the overhead of token-based policies may reach 1 message per job",
            stated: SPLIT,
            checked: "PI, messages per job, the most over mixes and loads".to_owned(),
        }
        .found(
            shown(&reached),
            value(&reached),
            0.95,
            value(&reached) >= 0.95,
        ),
        Said {
            claim: "the message overhead of PI and JIQ is often lower than that of JSQ",
            stated: SPLIT,
            checked: "messages per slot, the most over mixes and loads; JSQ needs 100".to_owned(),
        }
        .found(shown(&below), value(&below), 100.0, value(&below) < 100.0),
        Said {
            claim: "JSQ(2) and JSQ(1,1) have a lower message overhead in this case",
            stated: SPLIT,
            checked: "messages per slot of PI and JIQ at 50 %, the fewest; JSQ(2) needs 2"
                .to_owned(),
        }
        .found(shown(&lower), value(&lower), 2.0, value(&lower) > 2.0),
        Said {
            claim: "at 99 % the message overhead of token-based policies rapidly decreases",
            stated: SPLIT,
            checked: "messages at 99 % over those at 50 %, the largest".to_owned(),
        }
        .found(
            format!("PI {}, JIQ {}", shown(&part[0]), shown(&part[1])),
            most,
            0.5,
            most < 0.5,
        ),
    ]
}

fn advantage_of_jsq(grid: &Grid) -> Claim {
    // How many times longer the others' queues are, averaged over rivals and places in logarithms.
    let advantage = |batches| {
        let mut logs = Vec::new();
        for at in grid.places(batches, 0.5..=1.0) {
            for rival in ["pi", "jiq", "jsq:1:1"] {
                logs.extend(queue_ratio(grid, at, rival, "jsq").map(f64::ln));
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

fn proposition_3_1(grid: &Grid) -> Claim {
    let most = Batches::ALL
        .into_iter()
        .flat_map(|batches| grid.places(batches, 0.0..=1.0))
        .map(|at| {
            let cell = grid.cell(at, "pi");
            cell.messages as f64 / most_messages(cell.sub_batches) as f64
        })
        .fold(0.0, f64::max);
    Said {
        claim: "PI sends at most one message for each batch, PI-Split for each sub-batch",
        stated: "PI Proposition 3.1",
        checked: "messages over batches or sub-batches, every run of PI".to_owned(),
    }
    .found(format!("at most {most:.6}"), most, 1.0, most <= 1.0)
}
