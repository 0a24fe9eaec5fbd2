//! The tables as CSV: numbers as they are measured, without verdicts.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::WaitingResults;
use super::stacks::StackRow;
use super::times::TimeRow;
use crate::output::{self, rounded};

/// A line of `waiting-times.csv`. Times are over the ideal of the leaves as they slept.
#[derive(Serialize)]
struct TimeRecord<'a> {
    program: &'a str,
    workers: usize,
    asked_ms: f64,
    filch_minimum: f64,
    filch_median: f64,
    rayon_minimum: f64,
    rayon_median: f64,
    limit: f64,
    filch_sleeps: f64,
    rayon_sleeps: f64,
}

/// A line of `waiting-stacks.csv`; stacks are in bytes.
#[derive(Serialize)]
struct StackRecord<'a> {
    program: &'a str,
    workers: usize,
    runtime: &'a str,
    threads: usize,
    serial: usize,
    deepest: usize,
    limit: usize,
    live: usize,
    live_limit: usize,
}

/// Writes the two files.
pub(crate) fn write(folder: &Path, results: &WaitingResults) -> io::Result<()> {
    let times = results.times.iter().map(time_record);
    output::csv(folder, "waiting-times.csv", times)?;
    let stacks = results.stacks.iter().map(stack_record);
    output::csv(folder, "waiting-stacks.csv", stacks)
}

fn time_record(row: &TimeRow) -> TimeRecord<'_> {
    let (filch, rayon) = (&row.filch, &row.rayon);
    TimeRecord {
        program: row.program,
        workers: row.workers,
        asked_ms: rounded(row.asked_ms),
        filch_minimum: rounded(filch.over_ideal.min),
        filch_median: rounded(filch.over_ideal.median),
        rayon_minimum: rounded(rayon.over_ideal.min),
        rayon_median: rounded(rayon.over_ideal.median),
        limit: rounded(row.limit()),
        filch_sleeps: rounded(filch.sleeps.median),
        rayon_sleeps: rounded(rayon.sleeps.median),
    }
}

fn stack_record(row: &StackRow) -> StackRecord<'_> {
    StackRecord {
        program: row.program,
        workers: row.workers,
        runtime: row.runtime.name(),
        threads: row.threads,
        serial: row.serial,
        deepest: row.deepest,
        limit: row.limit(),
        live: row.live,
        live_limit: row.live_limit(),
    }
}
