//! The growth of the load in n and in the rate.

use filch_stats::{Confidence, Estimate, line, power_law};

use super::grid::MeasuredProcess;
use super::loads::curves;
use crate::natural::Process;
use crate::values::{Cell, Claim, Outcome, Table};

pub(super) fn show(cells: &[MeasuredProcess]) -> (Vec<Claim>, Vec<Table>) {
    let mean = |cell: &MeasuredProcess| cell.settled.mean().unwrap_or(0.0);
    let n = |cell: &MeasuredProcess| cell.process.processors as f64;
    let by_rate = |process: &Process| format!("{}, λ = {}", process.placement, process.lambda);
    let by_size = |process: &Process| format!("{}, n = {}", process.placement, process.processors);
    let in_n = fits(cells, by_rate, Law::Power, |cell| (n(cell), mean(cell)));
    // With fewer than 16 processors, hosts are a large share of them.
    let many: Vec<&MeasuredProcess> = cells.iter().filter(|cell| n(cell) >= 16.0).collect();
    let in_lg_n = fits(many, by_rate, Law::Line, |cell| {
        (n(cell).log2(), mean(cell) / n(cell))
    });
    let in_rate = fits(cells, by_size, Law::Power, |cell| {
        (1.0 / (1.0 - cell.process.lambda.get()), mean(cell))
    });
    let claims = vec![
        polynomial(&in_n, bound_growth(cells)),
        logarithmic(&in_lg_n),
    ];
    let tables = vec![
        table(
            "Growth in n: mean load of a processor = a + b·lg n, half, n ≥ 16",
            ["generators, λ", "b", "largest deviation"],
            &in_lg_n,
        ),
        table(
            "Growth in n: mean load ~ n^b, half",
            ["generators, λ", "b", "largest deviation, factor"],
            &in_n,
        ),
        table(
            "Growth in the rate: mean load ~ (1/(1 − λ))^b, half",
            ["generators, n", "b", "largest deviation, factor"],
            &in_rate,
        ),
    ];
    (claims, tables)
}

#[derive(Clone, Copy)]
enum Law {
    Power,
    Line,
}

struct Fit {
    name: String,
    slope: Estimate,
    worst: f64,
    from: f64,
    to: f64,
}

/// A fit for each group with at least three stable cells and a positive load.
fn fits<'a>(
    cells: impl IntoIterator<Item = &'a MeasuredProcess>,
    group: impl Fn(&Process) -> String,
    law: Law,
    point: impl Fn(&MeasuredProcess) -> (f64, f64),
) -> Vec<Fit> {
    let fit = |(name, cells): (String, Vec<&MeasuredProcess>)| {
        let points: Vec<(f64, f64)> = cells
            .into_iter()
            .map(&point)
            .filter(|&(_, y)| y > 0.0)
            .collect();
        let confidence = Confidence::NINETY_FIVE;
        let (slope, worst) = match law {
            Law::Power => {
                let fitted = power_law(&points, confidence).ok()?;
                (fitted.exponent, fitted.worst)
            }
            Law::Line => {
                let line = line(&points, confidence).ok()?;
                (line.slope, line.worst)
            }
        };
        let xs = || points.iter().map(|(x, _)| *x);
        Some(Fit {
            name,
            slope,
            worst,
            from: xs().fold(f64::INFINITY, f64::min),
            to: xs().fold(0.0, f64::max),
        })
    };
    curves(cells, group).into_iter().filter_map(fit).collect()
}

fn table(title: &str, [first, slope, worst]: [&'static str; 3], fits: &[Fit]) -> Table {
    let row = |fit: &Fit| -> Vec<Cell> {
        let ends = fit.slope.interval();
        vec![
            fit.name.clone().into(),
            fit.slope.n.into(),
            fit.from.into(),
            fit.to.into(),
            fit.slope.mean.into(),
            ends.lo.into(),
            ends.hi.into(),
            fit.worst.into(),
        ]
    };
    Table {
        title: title.to_owned(),
        columns: vec![
            first,
            "points",
            "from",
            "to",
            slope,
            "95 % from",
            "95 % to",
            worst,
        ],
        rows: fits.iter().map(row).collect(),
    }
}

/// Our answer to the open question: Θ(n log n) with one host.
fn logarithmic(fits: &[Fit]) -> Claim {
    let of_one = || fits.iter().filter(|fit| fit.name.starts_with("one, "));
    let rises = of_one().all(|fit| fit.slope.interval().lo > 0.0);
    // The largest deviation from the line, in doublings of n.
    let worst = of_one()
        .map(|fit| fit.worst / fit.slope.mean)
        .fold(0.0, f64::max);
    let slopes: Vec<String> = of_one()
        .map(|fit| {
            format!(
                "{:.2} ± {:.2} ({})",
                fit.slope.mean, fit.slope.half_width, fit.name
            )
        })
        .collect();
    Claim {
        claim: "with one host and half, the mean load of a processor grows by a constant with \
                every doubling of n: the system load is of order n log n"
            .to_owned(),
        stated: "filch, docs/natural.md",
        checked: format!("{} fits from 16 processors on", slopes.len()),
        found: format!(
            "by {}; the largest deviation is {worst:.2} doublings",
            slopes.join(", ")
        ),
        measured: Some(worst),
        bound: Some(0.25),
        outcome: Outcome::of(!slopes.is_empty() && rises && worst < 0.25),
    }
}

/// The exponent of n in the bound, from the smallest and the largest n at λ = 0.5.
fn bound_growth(cells: &[MeasuredProcess]) -> Option<f64> {
    let points: Vec<(f64, f64)> = cells
        .iter()
        .filter(|cell| {
            cell.process.lambda.get() == 0.5
                && cell.process.steal == filch_policy::steal::StealFunction::HALF
        })
        .filter_map(|cell| Some(((cell.process.processors as f64).log10(), cell.bound?)))
        .collect();
    let (first, last) = (
        points.first()?,
        points.iter().max_by(|a, b| a.0.total_cmp(&b.0))?,
    );
    (last.0 > first.0).then(|| (last.1 - first.1) / (last.0 - first.0))
}

fn polynomial(fits: &[Fit], bound: Option<f64>) -> Claim {
    let steepest = fits
        .iter()
        .max_by(|a, b| a.slope.mean.total_cmp(&b.slope.mean));
    let found = |fit: &Fit| {
        format!(
            "steepest n^{:.2} ± {:.2} ({}); the bound grows like n^{:.0}",
            fit.slope.mean,
            fit.slope.half_width,
            fit.name,
            bound.unwrap_or(f64::NAN)
        )
    };
    Claim {
        claim: "for half the load is bounded by a polynomial in n".to_owned(),
        stated: "BFG03, Remark 6 and Theorem 12",
        checked: format!("{} fits over n", fits.len()),
        found: steepest.map_or("no fit has three points".to_owned(), found),
        measured: steepest.map(|fit| fit.slope.mean),
        bound,
        outcome: Outcome::if_decided(
            steepest
                .zip(bound)
                .map(|(fit, bound)| fit.slope.interval().hi < bound),
        ),
    }
}
