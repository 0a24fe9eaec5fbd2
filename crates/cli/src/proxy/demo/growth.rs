use std::time::Duration;

use filch_balance::trial::{Fate, Record};
use filch_stats::stability::{MIN_SAMPLES, Verdict, assess};

/// Whether the number of open requests grew without bound, by the stability verdict: a burst that
/// fills the room is not growth.
pub(super) fn is_shown(record: &Record) -> bool {
    let Some(end) = record.gave_up.filter(|end| !end.is_zero()) else {
        return false;
    };
    let samples = MIN_SAMPLES as u32;
    let open: Vec<f64> = (1..=samples)
        .map(|at| open_at(record, end * at / samples))
        .collect();
    assess(&open).is_ok_and(|it| it.verdict == Verdict::Unstable)
}

/// How many requests were open.
fn open_at(record: &Record, now: Duration) -> f64 {
    let begun = record.samples.iter().filter(|it| it.start <= now);
    let open = begun.filter(|it| it.fate == Fate::Unfinished || it.start + it.latency > now);
    open.count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_balance::trial::Sample;

    /// Requests every millisecond for ten seconds, with these latencies.
    fn record(latency: impl Fn(u64) -> u64) -> Record {
        let samples = (0..10_000).map(|start| Sample {
            start: Duration::from_millis(start),
            entry: 0,
            latency: Duration::from_millis(latency(start)),
            fate: Fate::Answered,
        });
        Record {
            samples: samples.collect(),
            gave_up: Some(Duration::from_secs(10)),
            ..Record::default()
        }
    }

    #[test]
    fn growth_is_told_from_a_burst() {
        assert!(is_shown(&record(|start| 10 + start / 2)));
        let noise = |start: u64| 10 + start * 7919 % 40;
        assert!(!is_shown(&record(noise)));
        assert!(!is_shown(&record(|start| if start > 9_900 {
            1000
        } else {
            noise(start)
        })));
        assert!(!is_shown(&Record::default()));
    }
}
