//! The latencies while the demo runs.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use filch_balance::trial::{Record, Sample, Summary};
use filch_policy::dispatch::Spec;

use crate::args::DemoArgs;
use crate::output::count;

/// One policy's requests so far.
pub(super) struct Lane {
    pub(super) policy: Spec,
    pub(super) record: Record,
    started: Instant,
}

impl Lane {
    pub(super) fn new(policy: Spec) -> Self {
        Self {
            policy,
            record: Record::default(),
            started: Instant::now(),
        }
    }

    /// A request has ended.
    pub(super) fn add(&mut self, sample: Sample) {
        self.record.samples.push(sample);
    }

    /// All requests have ended: the full record replaces the samples added one by one.
    pub(super) fn finish(&mut self, record: Record) {
        self.record = record;
    }

    /// The requests that started in the last [`WINDOW`] and have ended.
    fn lately(&self) -> Summary {
        let from = self.started.elapsed().saturating_sub(WINDOW);
        self.record.summary_between(from, Duration::MAX)
    }
}

pub(super) fn lock(lane: &Mutex<Lane>) -> MutexGuard<'_, Lane> {
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}

const WINDOW: Duration = Duration::from_secs(5);
const REDRAW: Duration = Duration::from_millis(250);
/// Without a terminal, a line for each policy every so often.
const REPORT: Duration = Duration::from_secs(5);

/// The latencies while the demo runs, on standard error: the result goes to standard output.
pub(super) struct Screen {
    lanes: Vec<Arc<Mutex<Lane>>>,
    head: String,
    length: Duration,
    started: Instant,
    is_terminal: bool,
    is_quiet: bool,
}

impl Screen {
    pub(super) fn new(options: &DemoArgs, lanes: Vec<Arc<Mutex<Lane>>>) -> Self {
        // No longer than a line of a narrow terminal: drawing again counts lines.
        let head = format!(
            "10 servers each (5 of 100 ms, 5 of 10 ms), {}, load {:.0} %",
            count(options.dispatchers() as u64, "dispatcher"),
            100.0 * options.load()
        );
        Self {
            lanes,
            head,
            length: options.length(),
            started: Instant::now(),
            is_terminal: io::stderr().is_terminal(),
            is_quiet: options.simulation.json,
        }
    }

    /// Draws again and again, without end.
    pub(super) async fn draw(&self) {
        if self.is_quiet {
            return std::future::pending().await;
        }
        if !self.is_terminal {
            write(&format!("{}\n", self.head));
        }
        let mut tick = tokio::time::interval(if self.is_terminal { REDRAW } else { REPORT });
        tick.tick().await;
        if !self.is_terminal {
            tick.tick().await;
        }
        let mut lines = 0;
        loop {
            let text = self.picture();
            if self.is_terminal {
                write(&format!("{}{text}", up(lines)));
                lines = text.lines().count();
            } else {
                write(&text);
            }
            tick.tick().await;
        }
    }

    /// Takes the picture away.
    pub(super) fn clear(&self) {
        if self.is_terminal && !self.is_quiet {
            write(&up(self.picture().lines().count()));
        }
    }

    fn picture(&self) -> String {
        let elapsed = self.started.elapsed().min(self.length).as_secs();
        let mut text = String::new();
        if self.is_terminal {
            let _ = writeln!(text, "{}", self.head);
            let _ = writeln!(
                text,
                "{elapsed} of {} s; latencies of the last 5 s in ms; Ctrl-C ends",
                self.length.as_secs()
            );
            let _ = writeln!(
                text,
                "{:<20} {:>8} {:>8} {:>8} {:>8}",
                "policy", "ended", "mean", "p50", "p99"
            );
        }
        for lane in &self.lanes {
            let lane = lock(lane);
            let (name, lately) = (lane.policy.to_string(), lane.lately());
            let gave_up = lane.record.gave_up.is_some();
            drop(lane);
            if !self.is_terminal {
                let _ = write!(text, "{elapsed:>4} s  ");
            }
            let _ = if gave_up {
                writeln!(text, "{name:<20} too many requests waited: given up")
            } else if lately.answered == 0 {
                writeln!(text, "{name:<20} {:>8} {:>8} {:>8} {:>8}", 0, "–", "–", "–")
            } else {
                let Summary {
                    answered,
                    mean,
                    p50,
                    p99,
                    ..
                } = lately;
                writeln!(
                    text,
                    "{name:<20} {answered:>8} {mean:>8.1} {p50:>8.1} {p99:>8.1}"
                )
            };
        }
        text
    }
}

/// Back to the first of the last `lines` lines, with nothing below it.
fn up(lines: usize) -> String {
    if lines == 0 {
        String::new()
    } else {
        format!("\x1b[{lines}A\x1b[J")
    }
}

/// If standard error cannot be written, there is nothing to see; the result still comes.
fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
