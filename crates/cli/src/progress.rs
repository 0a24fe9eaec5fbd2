//! A progress bar on the terminal.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use filch_experiments::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let template = "{prefix} {wide_bar} {pos}/{len}, {elapsed}, {eta} left";
        bar.set_style(ProgressStyle::with_template(template).expect("a valid template"));
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
