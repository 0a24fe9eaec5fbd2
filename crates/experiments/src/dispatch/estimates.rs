//! Estimates from one run.

use filch_policy::dispatch::Spec;
use filch_sim::farm::FarmOutcome;
use filch_stats::stability::{MIN_SAMPLES, Verdict, assess};
use filch_stats::{BatchMeans, Confidence, Histogram, batch_means, mser5};

/// Estimates from one run, and how far they can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates<P = Spec> {
    /// The policy, or what to call it.
    pub policy: P,
    /// Whether the farm is stable under it, as far as the run shows.
    pub verdict: Verdict,
    /// The time-averaged total queue length: after the warm-up, or over the whole run if it is
    /// unstable.
    pub mean_queue: f64,
    /// The ends of its 95 % interval. Unstable runs and runs that are too short have none.
    pub interval: Option<[f64; 2]>,
    /// Whether the batch means of the interval pass a test of independence. If not, the interval is
    /// too narrow.
    pub independent: bool,
    /// Slots at the start that the mean leaves out.
    pub warm_up: u64,
    /// Messages between servers and dispatcher.
    pub messages_per_slot: f64,
    /// Completion times, if jobs were timed.
    pub completion: Option<Histogram>,
    /// Mean queue lengths from the start, over equally many slots each.
    trajectory: Vec<f64>,
    /// How many of these are warm-up.
    cut: usize,
}

impl<P: Clone> Estimates<P> {
    /// Concludes from `outcome`. The warm-up is found by MSER-5 unless `warm_up` says how many
    /// slots to leave out.
    pub fn of(outcome: &FarmOutcome<P>, warm_up: Option<u32>) -> Self {
        let trajectory = outcome.trajectory.means();
        let every = outcome.trajectory.every();
        // The verdict needs the trajectory from the start.
        let verdict = match trajectory.len() {
            0..MIN_SAMPLES if outcome.ended.is_some() => Verdict::Unstable,
            0..MIN_SAMPLES => Verdict::Undecided,
            _ => assess(&trajectory).map_or(Verdict::Undecided, |stability| stability.verdict),
        };
        let cut = match warm_up {
            Some(slots) => slots.div_ceil(every) as usize,
            None if verdict == Verdict::Unstable => 0,
            None => mser5(&trajectory).map_or(0, |warm_up| warm_up.cut),
        };
        let cut = cut.min(trajectory.len());
        let steady = &trajectory[cut..];
        let estimate = batch_means(steady, Confidence::NINETY_FIVE).ok();
        let bounded = estimate.filter(|_| verdict != Verdict::Unstable);
        // Too short for batches: the mean over all slots that count.
        let mean = outcome.waited as f64 / f64::from(outcome.slots.max(1));
        Self {
            policy: outcome.policy.clone(),
            verdict,
            mean_queue: estimate.map_or(mean, |_| steady.iter().sum::<f64>() / steady.len() as f64),
            interval: bounded.map(|mean| {
                let interval = mean.estimate.interval();
                [interval.lo, interval.hi]
            }),
            independent: bounded.is_none_or(|mean| mean.independent()),
            warm_up: cut as u64 * u64::from(every),
            messages_per_slot: outcome.messages as f64 / f64::from(outcome.slots.max(1)),
            completion: outcome.completions.as_ref().map(|completions| {
                let mut histogram = Histogram::new();
                for &(slots, jobs) in &completions.counts {
                    histogram.record_n(slots, jobs);
                }
                histogram
            }),
            trajectory,
            cut,
        }
    }

    /// The same with something else in place of the policy, such as its name.
    pub fn called<Q>(self, policy: Q) -> Estimates<Q> {
        Estimates {
            policy,
            verdict: self.verdict,
            mean_queue: self.mean_queue,
            interval: self.interval,
            independent: self.independent,
            warm_up: self.warm_up,
            messages_per_slot: self.messages_per_slot,
            completion: self.completion,
            trajectory: self.trajectory,
            cut: self.cut,
        }
    }

    /// The mean of this queue minus that of `other`, by paired differences: both runs have the same
    /// arrivals and capacities. None if one of them is unstable.
    pub fn minus(&self, other: &Self) -> Option<BatchMeans> {
        if [self, other]
            .iter()
            .any(|run| run.verdict == Verdict::Unstable)
        {
            return None;
        }
        let cut = self.cut.max(other.cut);
        let pairs = self.trajectory.iter().zip(&other.trajectory).skip(cut);
        let differences: Vec<f64> = pairs.map(|(first, second)| first - second).collect();
        batch_means(&differences, Confidence::NINETY_FIVE).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::Seed;
    use filch_sim::farm::{Batches, Class, Length, Run, Servers, simulate};
    use filch_workload::{Arrivals, Load};

    fn measure(load: f64, slots: u32, warm_up: Option<u32>) -> Vec<Estimates> {
        let class = Class::new("all", 10, "uniform:2".parse().unwrap());
        let servers = Servers::of(vec![class]).unwrap();
        let load = Load::with_overload(load).unwrap();
        let arrivals = Arrivals::poisson(load.rate(servers.total_capacity())).unwrap();
        let run = |name: &str| Run::of(name.parse().unwrap(), Batches::Whole, arrivals.clone());
        let length = Length {
            warm_up: warm_up.unwrap_or(0),
            ..Length::of(slots)
        };
        let outcomes = simulate(
            &servers,
            &[run("jsq"), run("random")],
            length,
            Seed::new(1),
            0,
        );
        let outcomes = outcomes.unwrap();
        outcomes
            .iter()
            .map(|outcome| Estimates::of(outcome, warm_up))
            .collect()
    }

    #[test]
    fn a_stable_farm_has_means_and_differences() {
        let [jsq, random] = &measure(0.6, 20_000, None)[..] else {
            unreachable!()
        };
        assert_eq!([jsq.verdict, random.verdict], [Verdict::Stable; 2]);
        for run in [jsq, random] {
            let [low, high] = run.interval.unwrap();
            assert!(low < run.mean_queue && run.mean_queue < high);
        }
        let difference = jsq.minus(random).unwrap().estimate;
        assert!(difference.interval().hi < 0.0, "{difference}");
        assert!((difference.mean - (jsq.mean_queue - random.mean_queue)).abs() < 2.0);
    }

    #[test]
    fn an_overloaded_farm_has_neither() {
        let [jsq, random] = &measure(1.5, 20_000, None)[..] else {
            unreachable!()
        };
        assert_eq!([jsq.verdict, random.verdict], [Verdict::Unstable; 2]);
        assert_eq!((jsq.interval, jsq.minus(random)), (None, None));
        // 10 jobs more a slot than can be served.
        assert!(
            (jsq.mean_queue / 100_000.0 - 1.0).abs() < 0.05,
            "{}",
            jsq.mean_queue
        );
    }

    #[test]
    fn short_runs_are_undecided() {
        for slots in [1, 31, 255] {
            let run = &measure(0.5, slots, None)[0];
            assert_eq!(run.verdict, Verdict::Undecided);
            assert!(run.mean_queue.is_finite());
        }
        let run = &measure(0.5, 1000, Some(400))[0];
        assert_eq!(run.warm_up, 400);
    }
}
