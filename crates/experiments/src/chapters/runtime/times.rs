//! How long a program takes, beside T1/P + T∞.

use std::hint::black_box;
use std::time::{Duration, Instant};

use filch::Pool;

use super::programs::MeasuredProgram;
use crate::chapters::Setting;
use crate::values::{Axis, Cell, Origin, Plot, Point, Series};

/// The time of one program on each number of workers, and T1/P + T∞, in milliseconds.
pub(super) struct Times {
    pub(super) taken: Vec<f64>,
    pub(super) promised: Vec<f64>,
}

pub(super) fn time(program: &MeasuredProgram, workers: &[usize], rounds: usize) -> Times {
    let on = |&workers: &usize| {
        let pool = Pool::new(workers).expect("threads for a pool");
        median_ms(rounds, || pool.install(|| (program.run)()))
    };
    let taken: Vec<f64> = workers.iter().map(on).collect();
    let span_over_work = program.span as f64 / program.work as f64;
    let promise = |&workers: &usize| taken[0] * (1.0 / workers as f64 + span_over_work);
    Times {
        promised: workers.iter().map(promise).collect(),
        taken,
    }
}

pub(super) fn rows_of(
    program: &MeasuredProgram,
    workers: &[usize],
    times: &Times,
) -> Vec<Vec<Cell>> {
    let row = |at: usize| {
        let (taken, promised) = (times.taken[at], times.promised[at]);
        vec![
            program.name.clone().into(),
            program.work.into(),
            program.span.into(),
            (workers[at] as u64).into(),
            taken.into(),
            promised.into(),
            (taken / promised).into(),
        ]
    };
    (0..workers.len()).map(row).collect()
}

pub(super) fn plot(
    setting: &Setting<'_>,
    programs: &[MeasuredProgram],
    workers: &[usize],
    times: &[Times],
) -> Plot {
    let points = |values: &[f64]| -> Vec<Point> {
        let both = workers.iter().zip(values);
        both.map(|(&workers, &y)| Point {
            x: workers as f64,
            y,
            interval: None,
        })
        .collect()
    };
    let series = programs.iter().zip(times).flat_map(|(program, times)| {
        [
            Series {
                name: format!("{}, time", program.name),
                origin: Origin::Measured,
                points: points(&times.taken),
            },
            Series {
                name: format!("{}, T1/P + T∞", program.name),
                origin: Origin::Theory,
                points: points(&times.promised),
            },
        ]
    });
    Plot {
        id: "runtime-time".to_owned(),
        title: "Time on this machine, beside T1/P + T∞".to_owned(),
        x: Axis {
            label: "workers P",
            logarithmic: false,
        },
        y: Axis {
            label: "time, milliseconds",
            logarithmic: true,
        },
        series: series.collect(),
        command: format!(
            "filch reproduce --{} --seed {}",
            setting.scale.name(),
            setting.seed
        ),
    }
}

/// The median time of some runs, after one run that does not count.
fn median_ms(rounds: usize, run: impl Fn() -> u64) -> f64 {
    black_box(run());
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let began = Instant::now();
            black_box(run());
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[rounds / 2].as_secs_f64() * 1e3
}
