//! Which constant steal amounts are stable.

use filch_policy::steal::StealFunction;
use filch_stats::stability::Verdict;
use filch_theory::natural::{Constants, observation4, theorem22};

use super::grid::{C, process};
use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled, throughput};
use crate::values::{Axis, Cell, Claim, Origin, Plot, Point, Series, Table};

/// What is bracketed.
pub(super) struct Critical {
    cases: Vec<(usize, usize, f64)>,
    effort: Effort,
}

/// Where the constants that are stable begin.
struct Bracket {
    processors: usize,
    hosts: usize,
    lambda: f64,
    /// The least constant that Theorem 22 does not rule out.
    line: u64,
    /// The largest constant that was found unstable.
    unstable: u64,
    /// The least constant that was found stable.
    stable: Option<u64>,
    /// The least constant with which inexhaustible hosts let more than λn jobs a step be processed.
    saturation: u64,
    /// The decimal logarithm of the constant that Observation 4 says is enough.
    sufficient: Option<f64>,
}

/// Cells of the grid have the lower numbers.
const FIRST_CELL: u64 = 1 << 30;

impl Critical {
    pub(super) fn of(scale: Scale) -> Self {
        let sizes: &[usize] = scale.pick(&[16], &[16, 64, 256], &[16, 64, 256, 1024, 4096]);
        let rates: &[f64] = scale.pick(&[0.8], &[0.5, 0.9], &[0.2, 0.5, 0.8, 0.9, 0.95, 0.98]);
        let mut cases = Vec::new();
        for hosts in [1, 4] {
            for &lambda in rates {
                cases.extend(sizes.iter().map(|&n| (n, hosts, lambda)));
            }
        }
        Self {
            cases,
            effort: Effort {
                replications: scale.pick(2, 4, 8),
                most: scale.pick(1_000_000, 60_000_000, 4_000_000_000),
            },
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.cases.len()
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Vec<Claim>, Table, Plot) {
        let brackets = setting.runs(self.cases.len(), |case| self.bracket(setting, case));
        let claims = vec![between(&brackets), saturated(&brackets)];
        (claims, table(&brackets), plot(&brackets))
    }

    fn bracket(&self, setting: &Setting<'_>, case: u64) -> Bracket {
        let (processors, hosts, lambda) = self.cases[case as usize];
        let line = theorem22::line(processors as u64, lambda, hosts as u64);
        let verdict = |jobs: u64| {
            let process = constant(processors, hosts, lambda, jobs);
            // The same streams for every constant: what differs is the constant.
            let settled = Settled::find(&process, self.effort, setting.seed, FIRST_CELL + case);
            settled.conclusion.verdict
        };
        // Below the line is Theorem 22's own.
        let mut unstable = line.saturating_sub(1);
        let mut stable = None;
        let mut next = (2 * line).max(1);
        loop {
            match verdict(next) {
                Verdict::Stable => stable = Some(next),
                Verdict::Unstable => unstable = next,
                // Too close to the limit to say.
                Verdict::Undecided if stable.is_some() => break,
                Verdict::Undecided => {}
            }
            match stable {
                Some(stable) if stable - unstable <= (unstable / 16).max(1) => break,
                Some(stable) => next = unstable + (stable - unstable) / 2,
                None if next > 32 * (line + 1) => break,
                None => next *= 2,
            }
        }
        let constants = Constants::new(processors as u64, lambda, C).ok();
        Bracket {
            processors,
            hosts,
            lambda,
            line,
            unstable,
            stable,
            saturation: saturation(processors, hosts, lambda, setting),
            sufficient: constants
                .and_then(|constants| observation4::cap(&constants, &StealFunction::HALF).ok())
                .and_then(|cap| cap.log10()),
        }
    }
}

fn constant(processors: usize, hosts: usize, lambda: f64, jobs: u64) -> Process {
    process(
        processors,
        lambda,
        &format!("const:{jobs}"),
        &format!("k:{hosts}"),
    )
}

/// The least constant with a throughput of more than λn, by doubling and bisection. The same random
/// numbers serve all constants.
fn saturation(processors: usize, hosts: usize, lambda: f64, setting: &Setting<'_>) -> u64 {
    let steps = setting.scale.pick(2000, 20_000, 100_000);
    let enough = |jobs: u64| {
        let f = StealFunction::HALF.capped(jobs);
        let done = throughput(processors, hosts, f, steps, setting.seed, 0);
        done > lambda * processors as f64
    };
    let mut most = 1;
    while !enough(most) {
        most *= 2;
    }
    let mut least = most / 2;
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if enough(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    most
}

fn between(brackets: &[Bracket]) -> Claim {
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
        claim: "the constant steal amounts that are stable begin between Theorem 22's line and Observation 4's cap".to_owned(),
        stated: "BFG03, Theorem 22 and Observation 4",
        checked: format!("{} brackets of {} found", known.len(), brackets.len()),
        found: format!("stable from at most {most:.1} times the line on; the cap is 10^30 and more"),
        measured: Some(most),
        bound: None,
        holds: !known.is_empty() && known.iter().all(|(_, bracket)| within(bracket)),
    }
}

fn saturated(brackets: &[Bracket]) -> Claim {
    let known: Vec<&Bracket> = brackets
        .iter()
        .filter(|bracket| bracket.stable.is_some())
        .collect();
    let inside = |bracket: &&&Bracket| {
        // The saturation point is itself known to about one part in a hundred.
        let slack = bracket.saturation / 100 + 1;
        bracket.saturation + slack > bracket.unstable
            && bracket
                .stable
                .is_some_and(|stable| bracket.saturation <= stable + slack)
    };
    let agreeing = known.iter().filter(inside).count();
    Claim {
        claim: "a constant steal amount is stable if and only if inexhaustible hosts would let more than λn jobs a step be processed".to_owned(),
        stated: "filch, docs/natural.md",
        checked: format!("{} brackets found by bisection on the verdict", known.len()),
        found: format!("{agreeing} contain the saturation point"),
        measured: Some((known.len() - agreeing) as f64),
        bound: Some(0.0),
        holds: agreeing == known.len() && !known.is_empty(),
    }
}

fn table(brackets: &[Bracket]) -> Table {
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

fn plot(brackets: &[Bracket]) -> Plot {
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
