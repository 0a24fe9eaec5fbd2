//! The mean load over processors, rates, functions and placements.

use filch_policy::steal::StealFunction;
use filch_stats::stability::Verdict;

use super::grid::MeasuredProcess;
use crate::chapters::significance::allowed_errors;
use crate::natural::{Process, Settled};
use crate::values::{Axis, Cell, Claim, Origin, Outcome, Plot, Point, Series, Table};

pub(super) fn show(cells: &[MeasuredProcess]) -> (Vec<Claim>, Vec<Table>, Vec<Plot>) {
    let claims = vec![below_the_bound(cells), fractions_are_stable(cells)];
    let table = Table {
        title: "Mean system load".to_owned(),
        columns: vec![
            "generators",
            "steal",
            "n",
            "λ",
            "steps",
            "verdict",
            "mean",
            "95 % from",
            "95 % to",
            "mean / n",
            "99.9 % of steps at most",
            "longest queue",
            "log₁₀ of the bound",
        ],
        rows: cells.iter().map(row).collect(),
    };
    (
        claims,
        vec![table],
        vec![over_processors(cells), over_rates(cells)],
    )
}

fn row(cell: &MeasuredProcess) -> Vec<Cell> {
    let MeasuredProcess {
        process,
        settled: Settled { conclusion, steps },
        bound,
    } = cell;
    let mean = cell.settled.mean();
    let real = |value: Option<f64>| value.map_or(Cell::Text("–".to_owned()), Cell::Real);
    let interval = conclusion.ci95().filter(|_| mean.is_some());
    vec![
        process.placement.to_string().into(),
        process.steal.to_string().into(),
        (process.processors as u64).into(),
        process.lambda.get().into(),
        (*steps).into(),
        conclusion.verdict.to_string().into(),
        real(mean),
        real(interval.map(|[low, _]| low)),
        real(interval.map(|[_, high]| high)),
        real(mean.map(|mean| mean / process.processors as f64)),
        real(
            mean.and(conclusion.loads.quantile(0.999))
                .map(|load| load as f64),
        ),
        conclusion.longest.into(),
        real(*bound),
    ]
}

/// The conjecture in the last paragraph of BFG03.
fn below_the_bound(cells: &[MeasuredProcess]) -> Claim {
    let distances: Vec<f64> = cells
        .iter()
        .filter_map(|cell| Some(cell.bound? - cell.settled.mean()?.max(1.0).log10()))
        .collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Claim {
        claim: "the system load is much smaller than the upper bounds indicate, by a factor of at \
                least 1000"
            .to_owned(),
        stated: "BFG03, section 6",
        checked: format!(
            "{} stable processes with a bound, c = {}",
            distances.len(),
            Process::C
        ),
        found: format!("smaller by a factor between 10^{least:.0} and 10^{most:.1e}"),
        measured: Some(least),
        bound: Some(3.0),
        outcome: Outcome::if_decided((!distances.is_empty()).then_some(least > 3.0)),
    }
}

/// The error rate of a verdict: up to three sets of runs, at 1 % each.
const ERROR: f64 = 0.03;

/// Theorem 10 for `half` and `fraction:R`, for which Φ_f is polynomial in n.
fn fractions_are_stable(cells: &[MeasuredProcess]) -> Claim {
    let fractions =
        |f: &StealFunction| f.most().is_none() && !["sqrt", "log2"].contains(&&*f.to_string());
    let tried: Vec<&MeasuredProcess> = cells
        .iter()
        .filter(|cell| fractions(&cell.process.steal))
        .collect();
    let count = |verdict| {
        let given = |cell: &&&MeasuredProcess| cell.settled.conclusion.verdict == verdict;
        tried.iter().filter(given).count()
    };
    let unstable = count(Verdict::Unstable);
    let allowed = allowed_errors(tried.len() as u64, ERROR);
    Claim {
        claim: "half and fraction:R are stable for every λ < 1 and every placement".to_owned(),
        stated: "BFG03, Theorem 10 and Lemma 5",
        checked: format!("{} processes", tried.len()),
        found: format!(
            "{} stable, {unstable} unstable, {} undecided within the budget",
            count(Verdict::Stable),
            count(Verdict::Undecided)
        ),
        measured: Some(unstable as f64),
        bound: Some(allowed as f64),
        outcome: if unstable as u64 > allowed {
            Outcome::DoesNotHold
        } else if count(Verdict::Stable) + unstable < tried.len() || tried.is_empty() {
            Outcome::Undecided
        } else {
            Outcome::Holds
        },
    }
}

/// The stable cells with `half`, in groups. Each group is a curve.
pub(super) fn curves<'a>(
    cells: impl IntoIterator<Item = &'a MeasuredProcess>,
    group: impl Fn(&Process) -> String,
) -> Vec<(String, Vec<&'a MeasuredProcess>)> {
    let mut curves: Vec<(String, Vec<&MeasuredProcess>)> = Vec::new();
    for cell in cells {
        if cell.process.steal != StealFunction::HALF || cell.settled.mean().is_none() {
            continue;
        }
        let name = group(&cell.process);
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(cell),
            None => curves.push((name, vec![cell])),
        }
    }
    curves
}

fn plot(
    id: &str,
    title: &str,
    label: &'static str,
    x: impl Fn(&Process) -> f64,
    curves: Vec<(String, Vec<&MeasuredProcess>)>,
) -> Plot {
    let point = |cell: &&MeasuredProcess| {
        let n = cell.process.processors as f64;
        Point {
            x: x(&cell.process),
            y: cell.settled.mean().unwrap_or(0.0) / n,
            interval: cell
                .settled
                .conclusion
                .ci95()
                .map(|ends| ends.map(|end| end / n)),
        }
    };
    Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis {
            label,
            logarithmic: true,
        },
        y: Axis {
            label: "mean load of a processor, in jobs",
            logarithmic: true,
        },
        series: curves
            .into_iter()
            .map(|(name, cells)| Series {
                name,
                origin: Origin::Simulated,
                points: cells.iter().map(point).collect(),
            })
            .collect(),
        command: "filch natural --processors N --lambda L --steal half --generators G".to_owned(),
    }
}

fn over_processors(cells: &[MeasuredProcess]) -> Plot {
    let name = |process: &Process| format!("{}, λ = {}", process.placement, process.lambda);
    plot(
        "natural-load-over-processors",
        "Mean load of a processor over n, half",
        "processors n",
        |process| process.processors as f64,
        curves(cells, name),
    )
}

fn over_rates(cells: &[MeasuredProcess]) -> Plot {
    let name = |process: &Process| format!("{}, n = {}", process.placement, process.processors);
    plot(
        "natural-load-over-rates",
        "Mean load of a processor over 1/(1 − λ), half",
        "1/(1 − λ)",
        |process| 1.0 / (1.0 - process.lambda.get()),
        curves(cells, name),
    )
}
