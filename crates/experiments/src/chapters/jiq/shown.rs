//! The region as claims, a table and plots.

use filch_sim::farm::Batches;

use super::backlog::CriticalLoad;
use super::region::{MappedFarm, RegionPlan, SERVERS, TOP};
use crate::values::{Axis, Cell, Claim, Origin, Outcome, Plot, Point, Series, Table};

/// Remark 4.2: the region grows when batches are split.
pub(super) fn remark(places: &[MappedFarm], plan: &RegionPlan) -> Claim {
    let (mut larger, mut even, mut smaller) = (0, 0, Vec::new());
    let mut most = 0.0f64;
    for place in places {
        let [whole, split] = place.bounds;
        most = most.max(split.middle() - whole.middle());
        if whole.found && split.low >= whole.high {
            larger += 1;
        } else if split.high < whole.low {
            smaller.push(format!(
                "{}:{} ×{}",
                place.slow,
                SERVERS - place.slow,
                place.ratio
            ));
        } else {
            even += 1;
        }
    }
    Claim {
        claim: "the stability region of JIQ increases when batches are allowed to be split"
            .to_owned(),
        stated: "PI Remark 4.2",
        checked: format!("{} farms, {} slots from empty", places.len(), plan.slots),
        found: format!(
            "larger by more than the uncertainty in {larger} farms, within it in {even}, smaller \
             in {}{}; at most by {most:.3}",
            smaller.len(),
            match &smaller[..] {
                [] => String::new(),
                some => format!(" ({})", some.join(", ")),
            },
        ),
        measured: Some(larger as f64),
        bound: Some(places.len() as f64),
        outcome: Outcome::of(larger > 0 && smaller.is_empty()),
    }
}

/// Whether both estimates of the critical load agree within their uncertainty.
pub(super) fn agreement(places: &[MappedFarm], plan: &RegionPlan) -> Claim {
    let mut apart = Vec::new();
    let (mut compared, mut most) = (0, 0.0f64);
    for place in places {
        for (kind, batches) in Batches::ALL.iter().enumerate() {
            let (bounds, behind) = (place.bounds[kind], place.behind[kind]);
            if !bounds.found {
                continue;
            }
            compared += 1;
            let below = bounds.low - (behind.load + behind.error);
            let above = (behind.load - behind.error) - bounds.high;
            let gap = below.max(above).max(0.0);
            most = most.max(gap);
            if gap > plan.resolution {
                apart.push(format!("{} {batches}", place.name()));
            }
        }
    }
    let names = match &apart[..] {
        [] => String::new(),
        some => format!(" ({})", some.join(", ")),
    };
    Claim {
        claim:
            "JIQ is stable as long as slow servers with a backlog catch up: λ/n · P(no server is \
                idle) < μ"
                .to_owned(),
        stated: "filch, on PI Remark 4.2",
        checked: format!(
            "both critical loads, {compared} farms; apart means more than {} beyond their \
             intervals",
            plan.resolution
        ),
        found: format!("{} apart{names}, at most by {most:.4}", apart.len()),
        measured: Some(most),
        bound: Some(plan.resolution),
        outcome: Outcome::of(apart.is_empty()),
    }
}

pub(super) fn table(places: &[MappedFarm]) -> Table {
    let rows = places.iter().map(|place| {
        let [whole, split] = place.bounds;
        let behind = place.behind.map(|critical| {
            if critical.load < TOP {
                format!("{:.4} ± {:.4}", critical.load, critical.error)
            } else {
                format!("beyond {TOP}")
            }
        });
        let [whole_behind, split_behind] = behind;
        vec![
            Cell::from(format!("{}:{}", place.slow, SERVERS - place.slow)),
            place.ratio.into(),
            whole.shown().into(),
            whole_behind.into(),
            split.shown().into(),
            split_behind.into(),
        ]
    });
    Table {
        title: "Critical loads of JIQ: by the verdict from empty queues, and by a backlog at slow \
                servers"
            .to_owned(),
        columns: vec![
            "slow:fast",
            "speed ratio",
            "whole, verdict",
            "whole, backlog",
            "split, verdict",
            "split, backlog",
        ],
        rows: rows.collect(),
    }
}

pub(super) fn plot(places: &[MappedFarm], plan: &RegionPlan, ratio: f64) -> Plot {
    let here = || places.iter().filter(move |place| place.ratio == ratio);
    let mut series: Vec<Series> = Batches::ALL
        .iter()
        .enumerate()
        .map(|(kind, batches)| Series {
            name: format!("JIQ, batches {batches}"),
            origin: Origin::Simulated,
            points: here()
                .map(|place| Point {
                    x: place.slow as f64 / SERVERS as f64,
                    y: place.bounds[kind].middle(),
                    interval: Some([place.bounds[kind].low, place.bounds[kind].high]),
                })
                .collect(),
        })
        .collect();
    series.extend(Batches::ALL.iter().enumerate().map(|(kind, batches)| {
        Series {
            name: format!("JIQ, batches {batches}, slow servers behind"),
            origin: Origin::Simulated,
            points: here()
                .filter(|place| place.behind[kind].load < TOP)
                .map(|place| {
                    let CriticalLoad { load, error } = place.behind[kind];
                    Point {
                        x: place.slow as f64 / SERVERS as f64,
                        y: load,
                        interval: Some([load - error, load + error]),
                    }
                })
                .collect(),
        }
    }));
    series.push(Series {
        name: "PI, Theorem 3.2".to_owned(),
        origin: Origin::Theory,
        points: here()
            .map(|place| Point {
                x: place.slow as f64 / SERVERS as f64,
                y: 1.0,
                interval: None,
            })
            .collect(),
    });
    let axis = |label| Axis {
        label,
        logarithmic: false,
    };
    Plot {
        id: format!("jiq-region-{ratio}"),
        title: format!("Critical load of JIQ, fast servers {ratio} times as fast"),
        x: axis("fraction of slow servers"),
        y: axis("critical load"),
        series,
        command: format!(
            "filch dispatch --servers slow=50@1,fast=50@{ratio} --loads 0.8:0.99:0.01 --policy \
             jiq --slots {}",
            plan.slots
        ),
    }
}
