//! A verdict on a run with a known warm-up.

use super::{Verdict, assess};

/// A verdict on a run in which the first `warm_up` samples are known to be warm-up.
///
/// The test for *growth* takes the whole run from its start, as it must. The test for *settling*
/// takes what follows the warm-up: a large system has so little noise that its climb from empty
/// would dominate that test for very long. A later start makes it no less strict, since the
/// quantile of η is smaller from a higher start. Each definite verdict rests on one test, so
/// [`ERROR_UNSTABLE`](super::ERROR_UNSTABLE) and [`ERROR_STABLE`](super::ERROR_STABLE) hold as for
/// [`assess`].
///
/// A run that is too short for either test is undecided.
pub fn verdict_after(load: &[f64], warm_up: usize) -> Verdict {
    let shows = |load, verdict| assess(load).is_ok_and(|stability| stability.verdict == verdict);
    let rest = load.get(warm_up..).unwrap_or(&[]);
    if shows(load, Verdict::Unstable) {
        Verdict::Unstable
    } else if shows(rest, Verdict::Stable) {
        Verdict::Stable
    } else {
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ERROR_STABLE, ERROR_UNSTABLE};
    use super::*;
    use crate::most_errors;
    use filch_random::{Purpose, Seed};
    use rand::RngExt;

    /// The sum of `queues` queues that gain two jobs with chance `p` and serve one a step.
    fn queues(queues: usize, p: f64, steps: usize, run: u64) -> Vec<f64> {
        let mut rng = Seed::new(4).stream(Purpose::named("tests"), run, queues as u64);
        let mut lengths = vec![0u64; queues];
        let mut step = || {
            for length in &mut lengths {
                let jobs = 2 * u64::from(rng.random_bool(p));
                *length = (*length + jobs).saturating_sub(1);
            }
            lengths.iter().sum::<u64>() as f64
        };
        (0..steps).map(|_| step()).collect()
    }

    const RUNS: u64 = 300;

    fn count(verdict: Verdict, number: usize, p: f64, steps: usize) -> u64 {
        let given = (0..RUNS).map(|run| verdict_after(&queues(number, p, steps, run), steps / 2));
        given.filter(|&given| given == verdict).count() as u64
    }

    /// Both error rates with half of the run as warm-up: critical queues are called neither stable
    /// nor unstable, overloaded ones not stable. A correct rule fails this test with probability
    /// 0.001.
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

    /// Far from the limit there is a definite verdict, for one queue and for many.
    #[test]
    fn clear_cases_are_decided() {
        for number in [1, 64] {
            assert!(count(Verdict::Stable, number, 0.3, 4000) > RUNS * 8 / 10);
            assert_eq!(count(Verdict::Unstable, number, 0.7, 4000), RUNS);
        }
    }

    #[test]
    fn short_runs_are_undecided() {
        assert_eq!(verdict_after(&[], 5), Verdict::Undecided);
        assert_eq!(verdict_after(&[0.0; 100], 0), Verdict::Undecided);
        assert_eq!(verdict_after(&[0.0; 300], 300), Verdict::Undecided);
        assert_eq!(verdict_after(&[0.0; 600], 300), Verdict::Stable);
    }
}
