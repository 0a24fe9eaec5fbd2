//! Two policies compared in many places.

use filch_stats::Confidence;
use filch_stats::stability::Verdict;

use super::grid::{At, FigureGrid};

/// In how many places the queue of `policy` is shorter, longer, or not significantly different.
///
/// The paired differences have simultaneous 95 % intervals. Where only the rival is unstable,
/// `policy` has the shorter queue.
pub(super) struct Contest {
    pub(super) shorter: usize,
    pub(super) even: usize,
    pub(super) longer: Vec<String>,
}

impl Contest {
    pub(super) fn of(
        grid: &FigureGrid,
        places: impl Iterator<Item = At>,
        policy: &str,
        rival: &str,
    ) -> Self {
        let mut contest = Self {
            shorter: 0,
            even: 0,
            longer: Vec::new(),
        };
        // Bonferroni: all intervals hold simultaneously with 95 %.
        let places: Vec<At> = places.collect();
        let level = Confidence::new(1.0 - 0.05 / places.len().max(1) as f64).expect("below 1");
        for at in places {
            let [run, other] = [policy, rival].map(|name| &grid.run(at, name).estimates);
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
            "shorter {}, not significant {}, longer {}",
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
