//! The tables as CSV: numbers as they are measured, without verdicts.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::WaitingResults;
use super::stacks::StackRow;
use super::times::TimeRow;
use crate::output;

/// A line of `waiting-times.csv`; times are over the ideal.
#[derive(Serialize)]
struct TimeRecord<'a> {
    program: &'a str,
    workers: usize,
    ideal_ms: f64,
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
    let over_ideal = |ns: f64| rounded(ns / row.ideal);
    TimeRecord {
        program: row.program,
        workers: row.workers,
        ideal_ms: rounded(row.ideal / 1e6),
        filch_minimum: over_ideal(row.filch.min),
        filch_median: over_ideal(row.filch.median),
        rayon_minimum: over_ideal(row.rayon.min),
        rayon_median: over_ideal(row.rayon.median),
        limit: over_ideal(row.limit()),
        filch_sleeps: rounded(row.filch_sleeps.median),
        rayon_sleeps: rounded(row.rayon_sleeps.median),
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

/// Three decimals: more than repeats.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
