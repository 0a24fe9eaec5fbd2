//! The brackets of critical constants as claims, a table and a plot.

use super::critical::Bracket;
use crate::values::{Axis, Cell, Claim, Origin, Outcome, Plot, Point, Series, Table};

pub(super) fn between(brackets: &[Bracket]) -> Claim {
    let known: Vec<(f64, &Bracket)> = brackets
        .iter()
        .filter_map(|bracket| {
            Some((
                bracket.stable? as f64 / (bracket.line.max(1)) as f64,
                bracket,
            ))
        })
        .collect();
    let most = known.iter().map(|(ratio, _)| *ratio).fold(0.0, f64::max);
    let within = |bracket: &Bracket| {
        let below = |cap: f64| (bracket.stable.unwrap_or(u64::MAX) as f64).log10() <= cap;
        bracket.stable >= Some(bracket.line) && bracket.sufficient.is_none_or(below)
    };
    Claim {
        claim: "the least stable constant steal amount is between Theorem 22's line and \
                Observation 4's cap"
            .to_owned(),
        stated: "BFG03, Theorem 22 and Observation 4",
        checked: format!("{} of {} brackets found", known.len(), brackets.len()),
        found: format!("at most {most:.1} times the line; the cap is at least 10^30"),
        measured: Some(most),
        bound: None,
        outcome: Outcome::of(!known.is_empty() && known.iter().all(|(_, bracket)| within(bracket))),
    }
}

pub(super) fn saturated(brackets: &[Bracket]) -> Claim {
    let known: Vec<&Bracket> = brackets
        .iter()
        .filter(|bracket| bracket.stable.is_some())
        .collect();
    let inside = |bracket: &&&Bracket| {
        // The saturation point itself is known to about 1 %.
        let slack = bracket.saturation / 100 + 1;
        bracket.saturation + slack > bracket.unstable
            && bracket
                .stable
                .is_some_and(|stable| bracket.saturation <= stable + slack)
    };
    let agreeing = known.iter().filter(inside).count();
    Claim {
        claim: "a constant steal amount is stable if and only if its saturation throughput, with \
                hosts that never run dry, is above λn jobs per step"
            .to_owned(),
        stated: "filch, docs/natural.md",
        checked: format!("{} brackets found by bisection on the verdict", known.len()),
        found: format!("{agreeing} contain the saturation point"),
        measured: Some((known.len() - agreeing) as f64),
        bound: Some(0.0),
        outcome: Outcome::of(agreeing == known.len() && !known.is_empty()),
    }
}

pub(super) fn table(brackets: &[Bracket]) -> Table {
    let row = |bracket: &Bracket| -> Vec<Cell> {
        let ratio = |jobs: u64| jobs as f64 / bracket.line.max(1) as f64;
        vec![
            (bracket.hosts as u64).into(),
            (bracket.processors as u64).into(),
            bracket.lambda.into(),
            bracket.line.into(),
            bracket.unstable.into(),
            bracket
                .stable
                .map_or(Cell::Text("–".to_owned()), Cell::Integer),
            bracket.saturation.into(),
            ratio(bracket.saturation).into(),
            bracket
                .sufficient
                .map_or(Cell::Text("–".to_owned()), Cell::Real),
        ]
    };
    Table {
        title: "Constant steal amounts K: where stability begins".to_owned(),
        columns: vec![
            "hosts k",
            "n",
            "λ",
            "Theorem 22's line",
            "unstable up to",
            "stable from",
            "saturation",
            "saturation / line",
            "log₁₀ of Observation 4's cap",
        ],
        rows: brackets.iter().map(row).collect(),
    }
}

pub(super) fn plot(brackets: &[Bracket]) -> Plot {
    let groups: Vec<(usize, f64)> = brackets.iter().fold(Vec::new(), |mut groups, bracket| {
        let group = (bracket.hosts, bracket.lambda);
        if !groups.contains(&group) {
            groups.push(group);
        }
        groups
    });
    let mut series = Vec::new();
    for (hosts, lambda) in groups {
        let members = || {
            let member =
                move |bracket: &&Bracket| (bracket.hosts, bracket.lambda) == (hosts, lambda);
            brackets.iter().filter(member)
        };
        let name = |what: &str| format!("{what}, k = {hosts}, λ = {lambda}");
        let line = members().map(|bracket| Point {
            x: bracket.processors as f64,
            y: bracket.line as f64,
            interval: None,
        });
        let found = members().filter_map(|bracket| {
            let (low, high) = (bracket.unstable as f64, bracket.stable? as f64);
            Some(Point {
                x: bracket.processors as f64,
                y: (low * high).sqrt(),
                interval: Some([low, high]),
            })
        });
        series.push(Series {
            name: name("Theorem 22's line"),
            origin: Origin::Theory,
            points: line.collect(),
        });
        series.push(Series {
            name: name("found by bisection"),
            origin: Origin::Simulated,
            points: found.collect(),
        });
    }
    Plot {
        id: "natural-critical-constants".to_owned(),
        title: "Constant steal amounts: where stability begins".to_owned(),
        x: Axis {
            label: "processors n",
            logarithmic: true,
        },
        y: Axis {
            label: "steal amount K, in jobs",
            logarithmic: true,
        },
        series,
        command: "filch natural --processors N --lambda L --steal const:K --generators k:1"
            .to_owned(),
    }
}
