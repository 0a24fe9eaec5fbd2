use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::task::{JoinError, JoinSet};

use super::alarm::Alarm;
use super::plan::Plan;
use super::record::Record;
use super::sample::{Fate, Sample};
use super::stalls::Stalls;

/// What keeps a run bounded. Under a policy whose queues grow for ever, a run would otherwise take
/// every connection that the system has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// With this many open requests the load is given up.
    pub open: usize,
    /// A request without an answer after this time has failed.
    pub timeout: Duration,
    /// How long answers are waited for after the last request.
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

/// Starts each request of `plan` when it is due, as a task of its own, by `send`, which gets the
/// number of the dispatcher and returns a future that ends with the answer.
pub async fn run<S, F, E>(plan: &Plan, alarm: &Alarm, caps: Caps, send: S) -> Record
where
    S: Fn(usize) -> F,
    F: Future<Output = Result<(), E>> + Send + 'static,
{
    run_and_tell(plan, alarm, caps, send, |_| ()).await
}

/// [`run`] that also calls `tell` with each request as it ends, to show a run while it goes on.
pub async fn run_and_tell<S, F, E>(
    plan: &Plan,
    alarm: &Alarm,
    caps: Caps,
    send: S,
    tell: impl FnMut(&Sample),
) -> Record
where
    S: Fn(usize) -> F,
    F: Future<Output = Result<(), E>> + Send + 'static,
{
    let watch = Stalls::watch();
    let begin = Instant::now() + Duration::from_millis(10);
    let mut load = RunningLoad {
        open: JoinSet::new(),
        record: Record::default(),
        tell,
    };
    load.send_all(plan, alarm, caps, begin, send).await;
    // If the load was given up the queues are long, and no answer that still comes is typical.
    if load.record.gave_up.is_none() {
        load.drain(caps.drain).await;
    }
    load.abort().await;
    let since = |instant: Instant| instant.saturating_duration_since(begin);
    let stalls = watch.finish().into_iter();
    load.record.stalls = stalls
        .map(|stall| (since(stall.from), since(stall.to)))
        .collect();
    load.record
}

/// A load under way.
struct RunningLoad<T> {
    open: JoinSet<EndedRequest>,
    record: Record,
    tell: T,
}

/// How one request ended.
struct EndedRequest {
    number: usize,
    latency: Duration,
    fate: Fate,
}

impl<T: FnMut(&Sample)> RunningLoad<T> {
    /// Sends every request when it is due, unless too many are open.
    async fn send_all<S, F, E>(
        &mut self,
        plan: &Plan,
        alarm: &Alarm,
        caps: Caps,
        begin: Instant,
        send: S,
    ) where
        S: Fn(usize) -> F,
        F: Future<Output = Result<(), E>> + Send + 'static,
    {
        for arrival in plan.arrivals() {
            let due = begin + arrival.at;
            let mut wait = pin!(alarm.wait_until(due));
            loop {
                tokio::select! {
                    biased;
                    () = &mut wait => break,
                    Some(ended) = self.open.join_next() => self.end(ended),
                }
            }
            while let Some(ended) = self.open.try_join_next() {
                self.end(ended);
            }
            if self.open.len() >= caps.open {
                self.record.gave_up = Some(arrival.at);
                return;
            }
            for _ in 0..arrival.requests {
                let number = self.record.samples.len();
                self.record.samples.push(Sample {
                    start: arrival.at,
                    entry: arrival.entry,
                    latency: Duration::ZERO,
                    fate: Fate::Unfinished,
                });
                let answer = send(arrival.entry);
                self.open.spawn(async move {
                    let answer = tokio::time::timeout(caps.timeout, answer).await;
                    EndedRequest {
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
    }

    /// Waits for the answers that are still to come.
    async fn drain(&mut self, patience: Duration) {
        let all = async {
            while let Some(ended) = self.open.join_next().await {
                self.end(ended);
            }
        };
        // What is open when the time is up stays unfinished.
        let _ = tokio::time::timeout(patience, all).await;
    }

    /// Ends the requests that are still open. Their samples stay unfinished.
    async fn abort(&mut self) {
        self.open.abort_all();
        while let Some(ended) = self.open.join_next().await {
            if !ended.as_ref().is_err_and(JoinError::is_cancelled) {
                self.end(ended);
            }
        }
    }

    fn end(&mut self, ended: Result<EndedRequest, JoinError>) {
        let ended = ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let sample = &mut self.record.samples[ended.number];
        (sample.latency, sample.fate) = (ended.latency, ended.fate);
        (self.tell)(sample);
    }
}
