//! Estimates from several runs of a process.

use filch_stats::stability::{Verdict, verdict_after};
use filch_stats::{CoarseHistogram, Confidence, Estimate, batch_means, replications};

use super::replication::{Replication, RunLength};

/// Estimates from independent runs.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// The mean system load, if any run got past its warm-up.
    pub mean_load: Option<f64>,
    /// The mean system load with its 95 % interval, if there are enough runs or steps for one.
    pub interval: Option<Estimate>,
    /// The mean number of requests in a step.
    pub requests: Option<f64>,
    /// The mean number of requests in a step that moved a job or more.
    pub steals: Option<f64>,
    /// The mean number of jobs that moved in a step.
    pub moved: Option<f64>,
    /// The longest queue of all runs.
    pub longest: u64,
    /// The system load after the warm-up, over all runs.
    pub loads: CoarseHistogram,
    /// Whether the process is stable, as far as the runs show.
    pub verdict: Verdict,
    /// The earliest step in which a run was cut.
    pub cut: Option<u64>,
}

impl Conclusion {
    /// Concludes from runs of one process, all of this length unless cut.
    ///
    /// The interval comes from the means of the independent runs; for a single run it comes from
    /// batch means. The verdict is on the mean of all trajectories over their common length. That
    /// is a sum of independent copies of the process, so the error rates of
    /// [`filch_stats::stability`] hold.
    pub fn from(runs: &[Replication], length: RunLength) -> Self {
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

    /// The mean load, if the process is stable.
    pub fn settled_load(&self) -> Option<f64> {
        self.mean_load.filter(|_| self.verdict == Verdict::Stable)
    }

    /// The ends of the 95 % interval of the mean load.
    pub fn ci95(&self) -> Option<[f64; 2]> {
        self.interval.map(|estimate| {
            let interval = estimate.interval();
            [interval.lo, interval.hi]
        })
    }
}

/// Batch means after the warm-up.
fn single(run: &Replication, length: RunLength) -> Option<Estimate> {
    let trajectory = &run.trajectory;
    let warm_bins = length.warmup.div_ceil(trajectory.bin_len()) as usize;
    let rest = trajectory.bins().get(warm_bins..)?;
    Some(batch_means(rest, Confidence::NINETY_FIVE).ok()?.estimate)
}

/// The verdict on the mean of all trajectories.
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
    let trajectory: Vec<f64> = (0..bins).map(mean).collect();
    verdict_after(&trajectory, warmup.div_ceil(bin_len) as usize)
}
