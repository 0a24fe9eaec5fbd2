//! What several runs of a process show together.

use filch_stats::stability::{Verdict, assess};
use filch_stats::{CoarseHistogram, Confidence, Estimate, batch_means, replications};

use super::replication::{Length, Replication};

/// Estimates from independent runs.
#[derive(Clone, Debug)]
pub(crate) struct Conclusion {
    /// The mean system load; without an interval if only one run got past its warm-up, and that was short.
    pub(crate) mean_load: Option<f64>,
    pub(crate) interval: Option<Estimate>,
    pub(crate) requests: Option<f64>,
    pub(crate) steals: Option<f64>,
    pub(crate) moved: Option<f64>,
    pub(crate) longest: u64,
    pub(crate) loads: CoarseHistogram,
    pub(crate) verdict: Verdict,
    /// The earliest step in which a run was cut.
    pub(crate) cut: Option<u64>,
}

impl Conclusion {
    /// Concludes from runs of one process, all of this length unless cut.
    ///
    /// The interval comes from the means of the runs, which are independent; for a single run it comes from batch
    /// means. The verdict is [`verdict`]'s.
    pub(crate) fn from(runs: &[Replication], length: Length) -> Self {
        let values = |of: fn(&Replication) -> Option<f64>| -> Vec<f64> {
            runs.iter().filter_map(of).collect()
        };
        let mean = |values: Vec<f64>| {
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let loads = values(Replication::mean_load);
        let interval = match runs {
            [run] => single(run, length),
            _ => replications(&loads, Confidence::NINETY_FIVE).ok(),
        };
        let mut histogram = CoarseHistogram::new();
        runs.iter().for_each(|run| histogram.merge(&run.loads));
        Self {
            mean_load: mean(loads),
            interval,
            requests: mean(values(Replication::requests)),
            steals: mean(values(Replication::steals)),
            moved: mean(values(Replication::moved)),
            longest: runs.iter().map(|run| run.longest).max().unwrap_or(0),
            loads: histogram,
            verdict: verdict(runs, length.warmup),
            cut: runs.iter().filter_map(|run| run.cut).min(),
        }
    }

    /// The ends of the 95 % interval of the mean load.
    pub(crate) fn ci95(&self) -> Option<[f64; 2]> {
        self.interval.map(|estimate| {
            let interval = estimate.interval();
            [interval.lo, interval.hi]
        })
    }
}

/// Batch means over what follows the warm-up.
fn single(run: &Replication, length: Length) -> Option<Estimate> {
    let trajectory = &run.trajectory;
    let warm_bins = length.warmup.div_ceil(trajectory.bin_len()) as usize;
    let rest = trajectory.bins().get(warm_bins..)?;
    Some(batch_means(rest, Confidence::NINETY_FIVE).ok()?.estimate)
}

/// The verdict on the mean of all trajectories, as far as all of them go: the sum of independent copies of a process,
/// for which the error rates of [`filch_stats::stability`] hold as for one.
///
/// Whether the load *grows* is asked of the whole run from empty queues, whose beginning that test needs. Whether
/// it has *settled* is asked of what follows the warm-up: with many processors there is so little
/// noise that the way up from empty queues would hide for very long that it has ended, and a later start
/// makes that test no less strict (`settling.rs` in `filch-stats`). Each definite verdict rests on one test, so each
/// error rate is that of one.
fn verdict(runs: &[Replication], warmup: u64) -> Verdict {
    // A run that was cut may have shorter bins. Lengths of bins are powers of two.
    let longest_bins = runs.iter().map(|run| run.trajectory.bin_len()).max();
    let Some(bin_len) = longest_bins else {
        return Verdict::Undecided;
    };
    let joined: Vec<Vec<f64>> = runs
        .iter()
        .map(|run| {
            let join = (bin_len / run.trajectory.bin_len()) as usize;
            let bins = run.trajectory.bins().chunks_exact(join);
            bins.map(|bins| bins.iter().sum::<f64>() / join as f64)
                .collect()
        })
        .collect();
    let bins = joined.iter().map(Vec::len).min().unwrap_or(0);
    let mean = |at: usize| joined.iter().map(|bins| bins[at]).sum::<f64>() / joined.len() as f64;
    let whole: Vec<f64> = (0..bins).map(mean).collect();
    let rest = whole
        .get(warmup.div_ceil(bin_len) as usize..)
        .unwrap_or(&[]);
    // Too short a run shows nothing.
    let shows = |trajectory, verdict| {
        assess(trajectory).is_ok_and(|stability| stability.verdict == verdict)
    };
    if shows(&whole, Verdict::Unstable) {
        Verdict::Unstable
    } else if shows(rest, Verdict::Stable) {
        Verdict::Stable
    } else {
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use filch_stats::most_errors;
    use filch_stats::stability::{ERROR_STABLE, ERROR_UNSTABLE};
    use rand::RngExt;

    /// The sum of `queues` queues that gain 0 or 2 jobs with chance p of 2, and serve one a step.
    fn queues(queues: usize, p: f64, steps: u64, run: u64) -> Replication {
        let mut rng = Seed::new(4).stream(Purpose::named("tests"), run, queues as u64);
        let mut lengths = vec![0u64; queues];
        Replication::of((0..steps).map(|_| {
            for length in &mut lengths {
                let jobs = 2 * u64::from(rng.random_bool(p));
                *length = (*length + jobs).saturating_sub(1);
            }
            lengths.iter().sum::<u64>() as f64
        }))
    }

    fn count(verdict: Verdict, number: usize, p: f64, steps: u64) -> u64 {
        let given =
            (0..RUNS).map(|run| super::verdict(&[queues(number, p, steps, run)], steps / 2));
        given.filter(|&given| given == verdict).count() as u64
    }

    const RUNS: u64 = 300;

    /// Both promises with the warm-up cut: critical queues are called neither stable nor unstable, overloaded ones not
    /// stable. A right rule fails one of these once in 1000 times.
    #[test]
    fn critical_queues_stay_undecided() {
        for number in [1, 4, 16] {
            let allowed = |rate| most_errors(RUNS, rate, 1e-4);
            let stable = count(Verdict::Stable, number, 0.5, 2000);
            assert!(stable <= allowed(ERROR_STABLE), "{number}: {stable}");
            let unstable = count(Verdict::Unstable, number, 0.5, 2000);
            assert!(unstable <= allowed(ERROR_UNSTABLE), "{number}: {unstable}");
            let stable = count(Verdict::Stable, number, 0.55, 2000);
            assert!(stable <= allowed(ERROR_STABLE), "{number}: {stable}");
        }
    }

    /// And it decides: queues far from their limit are called stable, and such that are far beyond it unstable.
    #[test]
    fn clear_cases_are_decided() {
        for number in [1, 64] {
            assert!(count(Verdict::Stable, number, 0.3, 4000) > RUNS * 8 / 10);
            assert_eq!(count(Verdict::Unstable, number, 0.7, 4000), RUNS);
        }
    }
}
