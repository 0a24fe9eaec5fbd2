//! Beyond the paper: where JIQ stops being stable, with whole and with split batches (Remark 4.2).

use filch_sim::farm::{Batches, Length, Run, Servers, simulate};
use filch_stats::stability::Verdict;

use super::super::chapter::{
    Axis, Cell, Chapter, Claim, Origin, Plot, Point, Series, Setting, Table,
};
use super::farm::{arrivals, farm, named};
use crate::dispatch::measured::Measured;

pub(super) const TITLE: &str = "Where JIQ is stable: whole and split batches";

/// No load beyond this is tried.
const TOP: f64 = 0.995;
/// The search begins here.
const BOTTOM: f64 = 0.5;
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
}

/// Between which loads the verdict turns.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The largest load that was tried and not called unstable.
    low: f64,
    /// The smallest that was called unstable; [`TOP`] if none was.
    high: f64,
    /// Whether any was.
    found: bool,
}

/// One farm, whole and split.
struct Place {
    slow: usize,
    ratio: f64,
    /// In the order of [`Batches::ALL`].
    bounds: [Bounds; 2],
}

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = Plan {
        slow: setting.scale.pick(
            &[50][..],
            &[10, 30, 50, 70, 90],
            &[10, 20, 30, 40, 50, 60, 70, 80, 90],
        ),
        ratios: setting
            .scale
            .pick(&[10.0][..], &[2.0, 10.0], &[2.0, 5.0, 10.0, 20.0]),
        slots: setting.scale.pick(2_000, 100_000, 500_000),
        resolution: setting.scale.pick(0.2, 0.01, 0.005),
        replications: setting.scale.pick(1, 2, 3),
    };
    let places = map(setting, &plan);
    let claims = vec![remark(&places, &plan), never_below_fast_share(&places)];
    Chapter {
        id: "jiq",
        title: TITLE,
        text: format!(
            "PI Remark 4.2 says that splitting enlarges the stability region of JIQ and leaves it as a \
             challenge to say why. Here is the region: {SERVERS} servers, slow ones of mean capacity 1 among fast \
             ones, and the load at which the verdict on {} slots from empty turns to unstable, by \
             bisection to within {}. The bounds are the widest of {} replications: below the lower one no \
             growth was seen, above the upper one it was. A farm that grows slower than the run can show \
             is not called unstable, so the true region may end a little earlier. Where no load up to {TOP} \
             is called unstable the bounds meet there.",
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

fn map(setting: &Setting<'_>, plan: &Plan) -> Vec<Place> {
    let farms: Vec<(usize, f64)> = plan
        .ratios
        .iter()
        .flat_map(|&ratio| plan.slow.iter().map(move |&slow| (slow, ratio)))
        .collect();
    let each = 2 * plan.replications as usize;
    let searches = farms.len() * each;
    setting.expect(searches);
    let found = setting.runs(searches, |at| {
        let at = at as usize;
        let (slow, ratio) = farms[at / each];
        let batches = Batches::ALL[at % 2];
        let replication = (at % each / 2) as u64;
        search(
            setting,
            plan,
            &farm(slow, SERVERS - slow, ratio),
            batches,
            replication,
        )
    });
    let places = farms.iter().zip(found.chunks(each));
    places
        .map(|(&(slow, ratio), found)| Place {
            slow,
            ratio,
            bounds: [0, 1].map(|kind| widest(found.iter().skip(kind).step_by(2))),
        })
        .collect()
}

/// The bounds of several replications together.
fn widest<'a>(bounds: impl Iterator<Item = &'a Bounds>) -> Bounds {
    let none = Bounds {
        low: TOP,
        high: 0.0,
        found: false,
    };
    bounds.fold(none, |all, one| Bounds {
        low: all.low.min(one.low),
        high: all.high.max(one.high),
        found: all.found || one.found,
    })
}

fn search(
    setting: &Setting<'_>,
    plan: &Plan,
    servers: &Servers,
    batches: Batches,
    replication: u64,
) -> Bounds {
    let unstable = |load: f64| {
        let run = Run {
            completions: false,
            ..Run::of(named("jiq"), batches, arrivals(servers, load))
        };
        let length = Length::of(plan.slots);
        let outcomes = simulate(servers, &[run], length, setting.seed, replication);
        let outcome = &outcomes.expect("a good policy")[0];
        Measured::of(outcome, None).verdict == Verdict::Unstable
    };
    if !unstable(TOP) {
        return Bounds {
            low: TOP,
            high: TOP,
            found: false,
        };
    }
    let (mut low, mut high) = if unstable(BOTTOM) {
        (0.0, BOTTOM)
    } else {
        (BOTTOM, TOP)
    };
    while high - low > plan.resolution {
        let middle = (low + high) / 2.0;
        if unstable(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Bounds {
        low,
        high,
        found: true,
    }
}

impl Bounds {
    fn middle(self) -> f64 {
        (self.low + self.high) / 2.0
    }

    fn shown(self) -> String {
        match self.found {
            true => format!("{:.3} … {:.3}", self.low, self.high),
            false => format!("none up to {TOP}"),
        }
    }
}

/// Remark 4.2: the region grows when batches are split.
fn remark(places: &[Place], plan: &Plan) -> Claim {
    let (mut larger, mut even, mut smaller) = (0, 0, Vec::new());
    let mut most = 0.0f64;
    for place in places {
        let [whole, split] = place.bounds;
        most = most.max(split.middle() - whole.middle());
        if split.low > whole.high || split.low >= whole.high && whole.found {
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

/// What a simple thought says: as long as the fast servers alone can do all the work, they fall idle
/// again and again, and JIQ sends them what arrives.
fn never_below_fast_share(places: &[Place]) -> Claim {
    let share = |place: &Place| {
        let fast = (SERVERS - place.slow) as f64 * place.ratio;
        fast / (fast + place.slow as f64)
    };
    let least = places
        .iter()
        .flat_map(|place| place.bounds.map(|bounds| bounds.high - share(place)))
        .fold(f64::INFINITY, f64::min);
    Claim {
        claim: "JIQ loses stability only near or beyond the load that the fast servers could carry alone".to_owned(),
        stated: "filch, after PI Remark 4.2",
        checked: "critical load less the fast servers' share of the capacity, the least".to_owned(),
        found: format!("{least:.3}"),
        measured: Some(least),
        bound: Some(-0.05),
        holds: least >= -0.05,
    }
}

fn table(places: &[Place]) -> Table {
    let rows = places.iter().map(|place| {
        let [whole, split] = place.bounds;
        let fast = (SERVERS - place.slow) as f64 * place.ratio;
        vec![
            Cell::from(format!("{}:{}", place.slow, SERVERS - place.slow)),
            place.ratio.into(),
            (fast / (fast + place.slow as f64)).into(),
            whole.shown().into(),
            split.shown().into(),
            (split.middle() - whole.middle()).into(),
        ]
    });
    Table {
        title: "Critical loads of JIQ".to_owned(),
        columns: vec![
            "slow:fast",
            "speed ratio",
            "fast servers' share",
            "whole",
            "split",
            "gain",
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
