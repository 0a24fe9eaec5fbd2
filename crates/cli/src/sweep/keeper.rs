//! Keeps rows as they are made, and tells how the sweep goes.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use filch_experiments::sweep::{Keeper, Plan, Row};
use filch_experiments::{Progress as _, parallel};
use indicatif::HumanDuration;

use super::durable;
use super::journal::Journal;
use super::time_left::TimeLeft;
use crate::failure::Failure;
use crate::folder::shown;
use crate::output;
use crate::progress::Bar;

/// Writes every row to a journal.
pub(super) struct JournalKeeper<'a> {
    journal: &'a Journal,
    bar: Bar,
    left: Arc<TimeLeft>,
    expected: AtomicUsize,
    failed: Mutex<Option<io::Error>>,
}

impl<'a> JournalKeeper<'a> {
    /// For a sweep of which these rows are there.
    pub(super) fn new(plan: &Plan, journal: &'a Journal, rows: &[Row]) -> Self {
        let weights = (0..plan.points()).map(|point| plan.weight(point)).collect();
        let left = Arc::new(TimeLeft::new(weights, parallel::threads().get()));
        // More replications may follow those that are known to be due.
        let at_least = if plan.precision().is_some() {
            "at least "
        } else {
            ""
        };
        let shown = left.clone();
        let bar = Bar::estimated(format!("filch sweep: {}", plan.model().name), move || {
            let left = shown.estimate()?;
            Some(format!("{at_least}{:#}", HumanDuration(left)))
        });
        bar.expect(rows.len());
        rows.iter().for_each(|_| bar.done());
        Self {
            journal,
            bar,
            left,
            expected: AtomicUsize::new(rows.len()),
            failed: Mutex::new(None),
        }
    }

    /// Removes the bar.
    ///
    /// # Errors
    ///
    /// If a row could not be kept.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.bar.finish();
        let failed = self.failed.into_inner();
        match failed.unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(durable::refuse(self.journal.path(), &error)),
            None => Ok(()),
        }
    }
}

impl Keeper for JournalKeeper<'_> {
    fn expect(&self, rows: &[(u64, u64)]) {
        // Ordering: one thread expects, between the runs.
        let before = self.expected.fetch_add(rows.len(), Ordering::Relaxed);
        self.bar.expect(before + rows.len());
        self.left.expect(rows);
    }

    fn keep(&self, row: &Row, took: Duration) -> ControlFlow<()> {
        if let Err(error) = self.journal.add(row, took) {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
            return ControlFlow::Break(());
        }
        self.left.made(row.point, took);
        self.bar.done();
        ControlFlow::Continue(())
    }
}

/// One line on standard error when a sweep goes on. A closed standard error is no failure.
pub(super) fn go_on(rows: usize) {
    let rows = output::count(rows as u64, "row");
    let _ = writeln!(io::stderr(), "goes on after {rows}, which are finished");
}

/// One line on standard error about the end of a journal that was not whole.
pub(super) fn cut(bytes: usize, path: &Path) {
    let _ = writeln!(
        io::stderr(),
        "the last {bytes} bytes of '{}' are no whole rows: they are computed again",
        shown(path)
    );
}
