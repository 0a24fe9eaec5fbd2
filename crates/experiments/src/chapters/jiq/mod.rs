//! Beyond the paper: where JIQ stops being stable, with whole and with split batches (Remark 4.2).

mod backlog;
mod search;

use filch_sim::farm::Batches;

use super::farm::farm;
use crate::chapters::Setting;
use crate::values::{Axis, Cell, Chapter, Claim, Origin, Plot, Point, Series, Table};
use backlog::{Critical, critical};
use search::{Bounds, search};

pub(super) const TITLE: &str = "Where JIQ is stable: whole and split batches";

/// No load beyond this is tried.
const TOP: f64 = 0.995;
const SERVERS: usize = 100;

/// How much to map.
struct Plan {
    /// Slow servers among the hundred.
    slow: &'static [usize],
    /// How many times as fast the others are.
    ratios: &'static [f64],
    slots: u32,
    /// The search ends when the bounds are so close.
    resolution: f64,
    replications: u64,
    /// Slots with slow servers that are behind.
    behind: u32,
}

/// One farm; whole, then split, as in [`Batches::ALL`].
struct Place {
    slow: usize,
    ratio: f64,
    bounds: [Bounds; 2],
    behind: [Critical; 2],
}

impl Place {
    fn name(&self) -> String {
        format!("{}:{} ×{}", self.slow, SERVERS - self.slow, self.ratio)
    }
}

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = Plan {
        slow: setting.scale.pick(
            &[50][..],
            &[10, 30, 50, 70, 90],
            &[10, 20, 30, 40, 50, 60, 70, 80, 90],
        ),
        ratios: setting.scale.pick(&[10.0][..], &RATIOS, &RATIOS),
        slots: setting.scale.pick(2_000, 100_000, 500_000),
        resolution: setting.scale.pick(0.2, 0.01, 0.005),
        replications: setting.scale.pick(1, 2, 3),
        behind: setting.scale.pick(1_000, 20_000, 200_000),
    };
    let places = map(setting, &plan);
    let claims = vec![remark(&places, &plan), agreement(&places, &plan)];
    Chapter {
        id: "jiq",
        title: TITLE,
        text: format!(
            "PI Remark 4.2 says that splitting enlarges the stability region of JIQ and leaves it as a \
             challenge to say why. Here is the region: {SERVERS} servers, slow ones of mean capacity 1 among \
             fast ones, and the load at which the verdict on {} slots from empty turns to unstable, by \
             bisection to within {}. The bounds are the widest of {} replications: below the lower one no \
             growth was seen, above the upper one it was. Where no load up to {TOP} is called unstable \
             there is no upper bound. The other estimate begins at the other end: all slow servers are \
             behind, so tokens come from fast servers only, and a slow server gets λ/n jobs on average in \
             every slot in which nobody is idle, whether batches are split or not. It catches up if \
             λ/n · P(nobody is idle) < μ. Splitting matters because an idle fast server that shares a \
             batch with others is idle again sooner, so that there are fewer slots without any.",
            plan.slots, plan.resolution, plan.replications,
        ),
        measured: false,
        claims,
        tables: vec![table(&places)],
        plots: plan
            .ratios
            .iter()
            .map(|&ratio| plot(&places, &plan, ratio))
            .collect(),
    }
}

const RATIOS: [f64; 4] = [2.0, 5.0, 10.0, 20.0];

fn map(setting: &Setting<'_>, plan: &Plan) -> Vec<Place> {
    let farms: Vec<(usize, f64)> = plan
        .ratios
        .iter()
        .flat_map(|&ratio| plan.slow.iter().map(move |&slow| (slow, ratio)))
        .collect();
    let each = 2 * plan.replications as usize;
    let searches = farms.len() * each;
    setting.expect(searches + 2 * farms.len());
    let servers = |at: usize| farm(farms[at].0, SERVERS - farms[at].0, farms[at].1);
    let found = setting.runs(searches, |at| {
        let at = at as usize;
        let replication = (at % each / 2) as u64;
        let batches = Batches::ALL[at % 2];
        search(setting, plan, &servers(at / each), batches, replication)
    });
    let bounds = |at: usize, kind: usize| {
        let found = &found[at * each..][..each];
        Bounds::widest(found.iter().skip(kind).step_by(2))
    };
    let behind = setting.runs(2 * farms.len(), |at| {
        let (at, kind) = (at as usize / 2, at as usize % 2);
        let guess = bounds(at, kind).middle();
        critical(
            setting,
            &servers(at),
            Batches::ALL[kind],
            guess,
            plan.behind,
        )
    });
    let places = farms.iter().enumerate();
    places
        .map(|(at, &(slow, ratio))| Place {
            slow,
            ratio,
            bounds: [0, 1].map(|kind| bounds(at, kind)),
            behind: [behind[2 * at], behind[2 * at + 1]],
        })
        .collect()
}

/// Remark 4.2: the region grows when batches are split.
fn remark(places: &[Place], plan: &Plan) -> Claim {
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
            "larger by more than the uncertainty in {larger}, within it in {even}, smaller in {}{}; at most by {most:.3}",
            smaller.len(),
            match &smaller[..] {
                [] => String::new(),
                some => format!(" ({})", some.join(", ")),
            },
        ),
        measured: Some(larger as f64),
        bound: Some(places.len() as f64),
        holds: larger > 0 && smaller.is_empty(),
    }
}

/// Both estimates of the critical load, within what each is uncertain by.
fn agreement(places: &[Place], plan: &Plan) -> Claim {
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
        claim: "JIQ is stable as long as slow servers that are behind catch up: λ/n · P(nobody is idle) < μ"
            .to_owned(),
        stated: "filch, on PI Remark 4.2",
        checked: format!(
            "both critical loads, {compared} farms; apart means by more than {} beyond their bounds",
            plan.resolution
        ),
        found: format!("{} apart{names}, at most by {most:.4}", apart.len()),
        measured: Some(most),
        bound: Some(plan.resolution),
        holds: apart.is_empty(),
    }
}

fn table(places: &[Place]) -> Table {
    let rows = places.iter().map(|place| {
        let [whole, split] = place.bounds;
        let behind = place.behind.map(|critical| match critical.load < TOP {
            true => format!("{:.4} ± {:.4}", critical.load, critical.error),
            false => format!("beyond {TOP}"),
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
        title: "Critical loads of JIQ, by the verdict from empty and with slow servers behind"
            .to_owned(),
        columns: vec![
            "slow:fast",
            "speed ratio",
            "whole, verdict",
            "whole, behind",
            "split, verdict",
            "split, behind",
        ],
        rows: rows.collect(),
    }
}

fn plot(places: &[Place], plan: &Plan, ratio: f64) -> Plot {
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
                    let Critical { load, error } = place.behind[kind];
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
        x: axis("part of slow servers"),
        y: axis("critical load"),
        series,
        command: format!(
            "filch dispatch --servers slow=50@1,fast=50@{ratio} --loads 0.8:0.99:0.01 --policy jiq --slots {}",
            plan.slots
        ),
    }
}
