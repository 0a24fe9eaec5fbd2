use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::task::{JoinError, JoinSet};

use super::alarm::Alarm;
use super::plan::Plan;
use super::record::{Fate, Record, Sample};
use super::stalls::Stalls;

/// What keeps a run bounded. A policy under which the queues grow for ever would otherwise take every
/// connection that the system has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// With so many open requests the load gives up.
    pub open: usize,
    /// A request without an answer after so long has failed.
    pub timeout: Duration,
    /// After the last request, answers are waited for so long.
    pub drain: Duration,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            open: 2000,
            timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}

/// Starts every request of `plan` when it is due, each as a task of its own, with `send`, which is told by
/// which dispatcher the request enters and whose future ends with the answer.
pub async fn run<S, F, E>(plan: &Plan, alarm: &Alarm, caps: Caps, send: S) -> Record
where
    S: Fn(usize) -> F,
    F: Future<Output = Result<(), E>> + Send + 'static,
{
    run_and_tell(plan, alarm, caps, send, |_| ()).await
}

/// [`run`], and `tell` is told of each request as it ends, for whoever shows a run while it goes on.
pub async fn run_and_tell<S, F, E>(
    plan: &Plan,
    alarm: &Alarm,
    caps: Caps,
    send: S,
    mut tell: impl FnMut(&Sample),
) -> Record
where
    S: Fn(usize) -> F,
    F: Future<Output = Result<(), E>> + Send + 'static,
{
    let watch = Stalls::watch();
    let begin = Instant::now() + Duration::from_millis(10);
    let mut record = Record::default();
    let mut open = JoinSet::new();
    let mut end = |ended: Result<Ended, JoinError>, samples: &mut Vec<Sample>| {
        let ended = ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let sample = &mut samples[ended.number];
        (sample.latency, sample.fate) = (ended.latency, ended.fate);
        tell(sample);
    };
    for arrival in plan.arrivals() {
        let due = begin + arrival.at;
        let mut wait = pin!(alarm.wait_until(due));
        loop {
            tokio::select! {
                biased;
                () = &mut wait => break,
                Some(ended) = open.join_next() => end(ended, &mut record.samples),
            }
        }
        while let Some(ended) = open.try_join_next() {
            end(ended, &mut record.samples);
        }
        if open.len() >= caps.open {
            record.gave_up = Some(arrival.at);
            break;
        }
        for _ in 0..arrival.requests {
            let number = record.samples.len();
            record.samples.push(Sample {
                start: arrival.at,
                entry: arrival.entry,
                latency: Duration::ZERO,
                fate: Fate::Unfinished,
            });
            let answer = send(arrival.entry);
            open.spawn(async move {
                let answer = tokio::time::timeout(caps.timeout, answer).await;
                Ended {
                    number,
                    latency: due.elapsed(),
                    fate: match answer {
                        Ok(Ok(())) => Fate::Answered,
                        Ok(Err(_)) => Fate::Failed,
                        Err(_) => Fate::TimedOut,
                    },
                }
            });
        }
    }
    // Whoever gave up need not wait: the queues are long, and nothing that ends now is typical.
    if record.gave_up.is_none() {
        let patience = tokio::time::sleep(caps.drain);
        let mut patience = pin!(patience);
        loop {
            tokio::select! {
                ended = open.join_next() => match ended {
                    Some(ended) => end(ended, &mut record.samples),
                    None => break,
                },
                () = &mut patience => break,
            }
        }
    }
    open.abort_all();
    while let Some(ended) = open.join_next().await {
        // What was aborted stays as it was put down: unfinished.
        if !ended.as_ref().is_err_and(JoinError::is_cancelled) {
            end(ended, &mut record.samples);
        }
    }
    let since = |instant: Instant| instant.saturating_duration_since(begin);
    let stalls = watch.finish().into_iter();
    record.stalls = stalls
        .map(|stall| (since(stall.from), since(stall.to)))
        .collect();
    record
}

/// How one request ended.
struct Ended {
    number: usize,
    latency: Duration,
    fate: Fate,
}
