//! Making the rows that are missing, on all cores.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::plan::Plan;
use super::row::Row;
use crate::parallel;

/// Listens to a sweep. The threads that make the runs call it.
pub trait Keeper: Sync {
    /// These rows are made next: points and replications. With a precision, more may follow.
    fn expect(&self, rows: &[(u64, u64)]);

    /// A row was made and took so long. If this breaks, no more runs are started.
    fn keep(&self, row: &Row, took: Duration) -> ControlFlow<()>;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotKept;

impl Keeper for NotKept {
    fn expect(&self, _: &[(u64, u64)]) {}

    fn keep(&self, _: &Row, _: Duration) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why a sweep ended before all rows were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The [`Keeper`] broke it off.
    Stopped,
    /// A run failed.
    Failed {
        /// The point.
        point: u64,
        /// The replication.
        replication: u64,
        /// What happened.
        problem: String,
    },
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("the sweep was stopped"),
            Self::Failed {
                point,
                replication,
                problem,
            } => write!(f, "point {point}, replication {replication}: {problem}"),
        }
    }
}

impl std::error::Error for Unfinished {}

impl Plan {
    /// Makes all rows of these points that are not among `rows` yet, on all cores. Returns all of
    /// them in order: by point, then by replication.
    ///
    /// # Errors
    ///
    /// If a run fails, or if `keeper` breaks it off. Rows that were kept before stay valid.
    pub fn complete(
        &self,
        points: &[u64],
        mut rows: Vec<Row>,
        keeper: &dyn Keeper,
    ) -> Result<Vec<Row>, Unfinished> {
        loop {
            rows.sort_by_key(Row::key);
            let missing = self.missing(points, &rows);
            if missing.is_empty() {
                return Ok(rows);
            }
            keeper.expect(&missing);
            let stop = AtomicBool::new(false);
            let made = parallel::map(missing.len(), parallel::threads(), |at| {
                // Ordering: nothing is read that the flag guards; a late look costs one run.
                if stop.load(Ordering::Relaxed) {
                    return Err(Unfinished::Stopped);
                }
                let (point, replication) = missing[at];
                let made = self.make(point, replication, keeper);
                stop.fetch_or(made.is_err(), Ordering::Relaxed);
                made
            });
            let failed = made.iter().find_map(|made| match made {
                Err(failed @ Unfinished::Failed { .. }) => Some(failed.clone()),
                _ => None,
            });
            if let Some(failed) = failed {
                return Err(failed);
            }
            for row in made {
                rows.push(row?);
            }
        }
    }

    fn make(&self, point: u64, replication: u64, keeper: &dyn Keeper) -> Result<Row, Unfinished> {
        let begun = Instant::now();
        let row = self.row(point, replication);
        let row = row.map_err(|problem| Unfinished::Failed {
            point,
            replication,
            problem,
        })?;
        match keeper.keep(&row, begun.elapsed()) {
            ControlFlow::Continue(()) => Ok(row),
            ControlFlow::Break(()) => Err(Unfinished::Stopped),
        }
    }

    /// The rows of these points that have to be made next, first replications first. `rows` is in
    /// order.
    pub fn missing(&self, points: &[u64], rows: &[Row]) -> Vec<(u64, u64)> {
        let mut missing = Vec::new();
        for &point in points {
            let from = rows.partition_point(|row| row.point < point);
            let to = rows.partition_point(|row| row.point <= point);
            let rows = &rows[from..to];
            let in_order = (0..)
                .zip(rows)
                .take_while(|(at, row)| row.replication == *at);
            let due = self.due(point, &rows[..in_order.count()]);
            let mut made = rows.iter().map(|row| row.replication).peekable();
            for replication in 0..due {
                while made.next_if(|&made| made < replication).is_some() {}
                if made.next_if_eq(&replication).is_none() {
                    missing.push((replication, point));
                }
            }
        }
        missing.sort_unstable();
        let rows = missing.into_iter();
        rows.map(|(replication, point)| (point, replication))
            .collect()
    }
}
