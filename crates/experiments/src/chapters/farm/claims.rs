//! What claims are made of: comparisons over many places of the figures.

use filch_sim::farm::Batches;
use filch_stats::Confidence;
use filch_stats::stability::Verdict;

use super::grid::{self, At, Grid, MIXES};
use crate::values::Claim;

/// “Comparable” and “competitive”: at most a tenth more.
pub(super) const COMPARABLE: f64 = 1.1;
/// “Much larger”: at least a half more.
pub(super) const MUCH: f64 = 1.5;

/// A claim about numbers.
pub(super) struct Said {
    pub(super) claim: &'static str,
    pub(super) stated: &'static str,
    pub(super) checked: String,
}

impl Said {
    pub(super) fn found(self, found: String, measured: f64, bound: f64, holds: bool) -> Claim {
        Claim {
            claim: self.claim.to_owned(),
            stated: self.stated,
            checked: self.checked,
            found,
            measured: measured.is_finite().then_some(measured),
            bound: bound.is_finite().then_some(bound),
            holds,
        }
    }
}

/// How many of the places get each verdict, and where it is unstable.
pub(super) struct Verdicts {
    pub(super) stable: usize,
    pub(super) undecided: usize,
    pub(super) unstable: Vec<String>,
}

impl Verdicts {
    pub(super) fn of(grid: &Grid, policy: &str, places: impl Iterator<Item = At>) -> Self {
        let mut verdicts = Self {
            stable: 0,
            undecided: 0,
            unstable: Vec::new(),
        };
        for at in places {
            match grid.cell(at, policy).measured.verdict {
                Verdict::Stable => verdicts.stable += 1,
                Verdict::Undecided => verdicts.undecided += 1,
                Verdict::Unstable => verdicts.unstable.push(grid.named(at)),
            }
        }
        verdicts
    }
}

impl std::fmt::Display for Verdicts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} stable, {} undecided, {} unstable",
            self.stable,
            self.undecided,
            self.unstable.len()
        )?;
        match &self.unstable[..] {
            [] => Ok(()),
            [first, _, _, .., last] => write!(f, " ({first} … {last})"),
            few => write!(f, " ({})", few.join(", ")),
        }
    }
}

/// A number and half of its 95 % interval, 0 if it has none.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) number: f64,
    error: f64,
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self { number, error: 0.0 }
    }
}

/// A value that was largest or smallest, and where.
pub(super) struct Extreme {
    value: Value,
    place: String,
}

impl std::fmt::Display for Extreme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Value { number, error } = self.value;
        write!(f, "{number:.3}")?;
        if error > 0.0 {
            write!(f, " ± {error:.3}")?;
        }
        write!(f, " ({})", self.place)
    }
}

/// The extreme in words, if there was anything to compare.
pub(super) fn shown(extreme: &Option<Extreme>) -> String {
    extreme
        .as_ref()
        .map_or("nothing to compare".to_owned(), Extreme::to_string)
}

/// Its number; NaN, which no bound holds for, if there was nothing to compare.
pub(super) fn value(extreme: &Option<Extreme>) -> f64 {
    extreme
        .as_ref()
        .map_or(f64::NAN, |extreme| extreme.value.number)
}

/// The largest value over some places; places without one do not count.
pub(super) fn largest<V: Into<Value>>(
    grid: &Grid,
    places: impl Iterator<Item = At>,
    value: impl Fn(At) -> Option<V>,
) -> Option<Extreme> {
    let values = places.filter_map(|at| Some((value(at)?.into(), at)));
    let most = values.max_by(|one: &(Value, At), other| one.0.number.total_cmp(&other.0.number))?;
    Some(Extreme {
        value: most.0,
        place: grid.named(most.1),
    })
}

/// The smallest value over some places.
pub(super) fn smallest<V: Into<Value>>(
    grid: &Grid,
    places: impl Iterator<Item = At>,
    value: impl Fn(At) -> Option<V>,
) -> Option<Extreme> {
    let negative = |value: Value| Value {
        number: -value.number,
        ..value
    };
    let extreme = largest(grid, places, |at| {
        value(at).map(|value| negative(value.into()))
    });
    extreme.map(|extreme| Extreme {
        value: negative(extreme.value),
        ..extreme
    })
}

/// Mean queue of `policy` over that of `other`, if both have one. Where queues are below a job there is
/// nothing to compare. The interval is that of the paired difference, over the other's mean.
pub(super) fn queue_ratio(grid: &Grid, at: At, policy: &str, other: &str) -> Option<Value> {
    let [run, rival] = [policy, other].map(|name| &grid.cell(at, name).measured);
    if [run, rival]
        .iter()
        .any(|run| run.verdict == Verdict::Unstable)
    {
        return None;
    }
    let (first, second) = (run.mean_queue, rival.mean_queue.max(f64::MIN_POSITIVE));
    let error = run
        .minus(rival)
        .map_or(0.0, |means| means.estimate.half_width);
    (first.max(second) >= 1.0).then(|| Value {
        number: first / second,
        error: error / second,
    })
}

/// Mean completion time of `policy` over that of `other`, if neither is unstable. By Little's law a job
/// waits Q/λ slots on average beyond its first, so the interval is that of the paired difference of
/// queues, over λ and the other's mean.
pub(super) fn time_ratio(grid: &Grid, at: At, policy: &str, other: &str) -> Option<Value> {
    let [first, second] = [policy, other].map(|name| mean_time(grid, at, name));
    let (first, second) = (first?, second?);
    let [run, rival] = [policy, other].map(|name| grid.cell(at, name));
    let per_slot = rival.jobs as f64 / f64::from(grid.plan.slots);
    let difference = run.measured.minus(&rival.measured);
    let error = difference.map_or(0.0, |means| means.estimate.half_width);
    Some(Value {
        number: first / second,
        error: error / per_slot / second,
    })
}

pub(super) fn mean_time(grid: &Grid, at: At, policy: &str) -> Option<f64> {
    let run = &grid.cell(at, policy).measured;
    let stable = run.verdict != Verdict::Unstable;
    run.completion.as_ref().filter(|_| stable)?.mean()
}

/// In how many places `policy` has the shorter queue, the longer one, or neither is shown, by paired
/// differences whose intervals hold together at 95 %. A rival that is unstable where `policy` is not has the longer one.
pub(super) struct Contest {
    pub(super) shorter: usize,
    pub(super) even: usize,
    pub(super) longer: Vec<String>,
}

impl Contest {
    pub(super) fn of(
        grid: &Grid,
        places: impl Iterator<Item = At>,
        policy: &str,
        rival: &str,
    ) -> Self {
        let mut contest = Self {
            shorter: 0,
            even: 0,
            longer: Vec::new(),
        };
        // So many intervals that all of them hold together at 95 % (Bonferroni).
        let places: Vec<At> = places.collect();
        let level = Confidence::new(1.0 - 0.05 / places.len().max(1) as f64).expect("below 1");
        for at in places {
            let [run, other] = [policy, rival].map(|name| &grid.cell(at, name).measured);
            let unstable = [run, other].map(|run| run.verdict == Verdict::Unstable);
            let means = run.minus(other).filter(|means| means.independent());
            let (mean, error) = means.map_or((0.0, 0.0), |means| {
                let freedom = means.estimate.n - 1;
                let wider = level.student(freedom) / means.estimate.confidence.student(freedom);
                (means.estimate.mean, wider * means.estimate.half_width)
            });
            match unstable {
                [false, true] => contest.shorter += 1,
                [true, _] => contest.longer.push(grid.named(at)),
                _ if mean + error < 0.0 => contest.shorter += 1,
                _ if mean - error > 0.0 => {
                    let by = mean / other.mean_queue.max(f64::MIN_POSITIVE);
                    let place = grid.named(at);
                    contest
                        .longer
                        .push(format!("{place} by {:.2} %", 100.0 * by));
                }
                _ => contest.even += 1,
            }
        }
        contest
    }
}

impl std::fmt::Display for Contest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "shorter {}, not told apart {}, longer {}",
            self.shorter,
            self.even,
            self.longer.len()
        )?;
        match &self.longer[..] {
            [] => Ok(()),
            [first, _, .., last] => write!(f, " ({first} … {last})"),
            few => write!(f, " ({})", few.join(", ")),
        }
    }
}

/// The mixes in which `policy` is unstable at this load.
pub(super) fn unstable_mixes(
    grid: &Grid,
    policy: &str,
    load: f64,
    batches: Batches,
) -> Vec<String> {
    let mixes = (0..MIXES.len()).filter(|&mix| {
        let cell = grid.cell(grid.at(mix, load, batches), policy);
        cell.measured.verdict == Verdict::Unstable
    });
    mixes.map(grid::mix).collect()
}

/// A list of mixes, or a dash.
pub(super) fn listed(mixes: &[String]) -> String {
    if mixes.is_empty() {
        "none".to_owned()
    } else {
        mixes.join(", ")
    }
}
