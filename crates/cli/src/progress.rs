//! A progress bar on the terminal.

use std::fmt::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use filch_experiments::Progress;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// The progress of a command or a chapter. The bar appears after one second, and only if standard
/// error is a terminal; standard output is for results.
pub(crate) struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// The thread that shows the bar. It ends when the sender is dropped.
    waiter: Option<(Sender<()>, JoinHandle<()>)>,
}

/// When the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar is redrawn while no run ends.
const TICK: Duration = Duration::from_millis(250);

impl Bar {
    /// A bar with this label, for no runs yet.
    pub(crate) fn of(label: String) -> Self {
        Self::styled(label, "{prefix} {wide_bar} {done}{elapsed}{left}")
    }

    /// A bar for runs of different lengths: `left` says how long the rest takes, once it can.
    pub(crate) fn estimated(
        label: String,
        left: impl Fn() -> Option<String> + Clone + Send + Sync + 'static,
    ) -> Self {
        let template = "{prefix} {wide_bar} {done}{elapsed}{left}";
        Self::with(label, template, move |_, text| {
            if let Some(left) = left() {
                let _ = write!(text, ", {left} left");
            }
        })
    }

    /// One thing is done, and how much of it is left cannot be told.
    pub(crate) fn busy(label: String) -> Self {
        Self::styled(label, "{prefix} {spinner} {elapsed}")
    }

    fn styled(label: String, template: &str) -> Self {
        Self::with(label, template, |state, text| {
            let _ = text.write_str(&left(state.pos(), state.eta()));
        })
    }

    fn with(
        label: String,
        template: &str,
        left: impl Fn(&ProgressState, &mut dyn Write) + Clone + Send + Sync + 'static,
    ) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).expect("a valid template");
        // Of a single run, neither says anything before it is over.
        let style = style.with_key("done", |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&done(state.pos(), state.len()));
        });
        let style = style.with_key("left", left);
        bar.set_style(style);
        bar.set_prefix(label);
        Self {
            waiter: waiter(bar.clone()),
            bar,
            started: Instant::now(),
        }
    }

    /// Removes the bar and returns the time since its start.
    pub(crate) fn finish(mut self) -> Duration {
        if let Some((waits, waiter)) = self.waiter.take() {
            drop(waits);
            // It cannot panic, and if it did the bar would only be missing.
            let _ = waiter.join();
        }
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}

impl Progress for Bar {
    fn expect(&self, runs: usize) {
        self.bar.set_length(runs as u64);
    }

    fn done(&self) {
        self.bar.inc(1);
    }
}

/// How many of several runs are done.
fn done(runs: u64, all: Option<u64>) -> String {
    match all {
        Some(all) if all > 1 => format!("{runs}/{all}, "),
        _ => String::new(),
    }
}

/// The time left, of which nothing is known before a run is over.
fn left(runs: u64, time: Duration) -> String {
    match runs {
        0 => String::new(),
        _ => format!(", {:#} left", HumanDuration(time)),
    }
}

/// Starts the thread that shows `bar` after [`PATIENCE`] and redraws it. Without a thread there is
/// no bar.
fn waiter(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel();
    let wait = move || {
        if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        bar.set_draw_target(ProgressDrawTarget::stderr());
        while receiver.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            bar.tick();
        }
    };
    let thread = thread::Builder::new().spawn(wait).ok()?;
    Some((sender, thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A single run that has taken two seconds is not about to end in none.
    #[test]
    fn nothing_is_said_that_is_not_known() {
        assert_eq!(
            (done(0, Some(1)), left(0, Duration::ZERO)),
            (String::new(), String::new())
        );
        assert_eq!(done(3, Some(8)), "3/8, ");
        assert_eq!(left(3, Duration::from_secs(5)), ", 5s left");
    }

    /// Both styles can be drawn.
    #[test]
    fn bars_have_templates() {
        Bar::of("runs".to_owned()).finish();
        Bar::busy("reading".to_owned()).finish();
    }
}
