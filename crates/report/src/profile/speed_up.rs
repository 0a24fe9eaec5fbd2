//! The speed-up curve, and its numbers.

use filch_experiments::profile::Predicted;
use filch_profile::Duration;

use super::{Shown, per_cent, time};
use crate::number::decimals;
use crate::values::{Axis, Cell, Origin, Plot, Point, Series, Table};

/// The predicted speed-up between what no schedule exceeds and what ours promises.
pub(super) fn plot(shown: &Shown<'_>) -> Plot {
    let serial = shown.prediction.serial_time;
    let over = |time: Duration| serial.picos() as f64 / time.picos().max(1) as f64;
    let series = |name: &str, origin: Origin, speed_up: &dyn Fn(&Predicted) -> f64| Series {
        name: name.to_owned(),
        origin,
        points: shown
            .prediction
            .rows
            .iter()
            .map(|row| Point {
                x: row.processors as f64,
                y: speed_up(row),
                interval: None,
            })
            .collect(),
    };
    Plot {
        id: "speed-up".to_owned(),
        title: "Speed-up on P processors".to_owned(),
        x: Axis {
            label: "processors",
            logarithmic: true,
        },
        y: Axis {
            label: "speed-up",
            logarithmic: true,
        },
        series: vec![
            series("predicted", Origin::Simulated, &|row| row.speed_up),
            series("one per processor", Origin::Theory, &|row| {
                row.processors as f64
            }),
            series("no schedule gives more", Origin::Theory, &|row| {
                over(row.least)
            }),
            series("T1/P + c·Tinf promises", Origin::Theory, &|row| {
                over(row.bound)
            }),
        ],
        command: shown.command.to_owned(),
    }
}

/// The same as a table.
pub(super) fn table(shown: &Shown<'_>) -> Table {
    let row = |row: &Predicted| -> Vec<Cell> {
        vec![
            (row.processors as u64).into(),
            time(row.time).into(),
            Cell::Text(decimals(row.speed_up, 2)),
            per_cent(row.efficiency).into(),
            time(row.least).into(),
            time(row.bound).into(),
            row.steals.into(),
        ]
    };
    Table {
        title: "Predicted times".to_owned(),
        columns: vec![
            "processors",
            "time",
            "speed-up",
            "efficiency",
            "no schedule is shorter than",
            "T1/P + c·Tinf",
            "steals",
        ],
        rows: shown.prediction.rows.iter().map(row).collect(),
    }
}
