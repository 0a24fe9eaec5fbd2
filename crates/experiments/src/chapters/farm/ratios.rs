//! Ratios between two policies, and where they are largest and smallest.

use filch_stats::stability::Verdict;

use super::grid::{At, FigureGrid};

/// A number and the half-width of its 95 % interval, which is 0 if it has none.
#[derive(Clone, Copy)]
pub(super) struct Uncertain {
    pub(super) number: f64,
    error: f64,
}

impl From<f64> for Uncertain {
    fn from(number: f64) -> Self {
        Self { number, error: 0.0 }
    }
}

/// The largest or smallest value, and its place.
pub(super) struct Extreme {
    value: Uncertain,
    place: String,
}

impl std::fmt::Display for Extreme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Uncertain { number, error } = self.value;
        write!(f, "{number:.3}")?;
        if error > 0.0 {
            write!(f, " ± {error:.3}")?;
        }
        write!(f, " ({})", self.place)
    }
}

/// The extreme in words.
pub(super) fn shown(extreme: &Option<Extreme>) -> String {
    extreme
        .as_ref()
        .map_or("nothing to compare".to_owned(), Extreme::to_string)
}

/// The number of the extreme, or NaN if there is none: no comparison with NaN holds.
pub(super) fn value(extreme: &Option<Extreme>) -> f64 {
    extreme
        .as_ref()
        .map_or(f64::NAN, |extreme| extreme.value.number)
}

/// The largest value over some places. Places without a value are skipped.
pub(super) fn largest<V: Into<Uncertain>>(
    grid: &FigureGrid,
    places: impl Iterator<Item = At>,
    value: impl Fn(At) -> Option<V>,
) -> Option<Extreme> {
    let values = places.filter_map(|at| Some((value(at)?.into(), at)));
    let most =
        values.max_by(|one: &(Uncertain, At), other| one.0.number.total_cmp(&other.0.number))?;
    Some(Extreme {
        value: most.0,
        place: grid.named(most.1),
    })
}

/// The smallest value over some places. Places without a value are skipped.
pub(super) fn smallest<V: Into<Uncertain>>(
    grid: &FigureGrid,
    places: impl Iterator<Item = At>,
    value: impl Fn(At) -> Option<V>,
) -> Option<Extreme> {
    let negative = |value: Uncertain| Uncertain {
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

/// Mean queue of `policy` over that of `other`, if neither is unstable and the longer one has at
/// least one job. The interval is that of the paired difference, divided by the mean of `other`.
pub(super) fn queue_ratio(
    grid: &FigureGrid,
    at: At,
    policy: &str,
    other: &str,
) -> Option<Uncertain> {
    let [run, rival] = [policy, other].map(|name| &grid.run(at, name).estimates);
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
    (first.max(second) >= 1.0).then(|| Uncertain {
        number: first / second,
        error: error / second,
    })
}

/// Mean completion time of `policy` over that of `other`, if neither is unstable.
///
/// By Little's law a job waits Q/λ slots on average beyond its first. So the interval is that of
/// the paired difference of queues, divided by λ and by the mean of `other`.
pub(super) fn time_ratio(
    grid: &FigureGrid,
    at: At,
    policy: &str,
    other: &str,
) -> Option<Uncertain> {
    let [first, second] = [policy, other].map(|name| mean_time(grid, at, name));
    let (first, second) = (first?, second?);
    let [run, rival] = [policy, other].map(|name| grid.run(at, name));
    let per_slot = rival.jobs as f64 / f64::from(grid.plan.slots);
    let difference = run.estimates.minus(&rival.estimates);
    let error = difference.map_or(0.0, |means| means.estimate.half_width);
    Some(Uncertain {
        number: first / second,
        error: error / per_slot / second,
    })
}

pub(super) fn mean_time(grid: &FigureGrid, at: At, policy: &str) -> Option<f64> {
    let run = &grid.run(at, policy).estimates;
    let stable = run.verdict != Verdict::Unstable;
    run.completion.as_ref().filter(|_| stable)?.mean()
}
