//! The tables of a profile.

use filch_experiments::profile::{Predicted, SiteFigures};
use filch_report::number::decimals;
use filch_report::profile::{kind, per_cent, place, time};
use filch_report::text_table::TextTable;

use super::Conclusions;
use crate::output::printable;

/// More rows than this are in the JSON only.
const MOST_ROWS: usize = 20;

/// T_P and its bounds; beside it what a change would make of it.
pub(super) fn predictions(of: &Conclusions) -> TextTable {
    let changed = of.changed.as_ref().map(|(_, prediction)| &prediction.rows);
    let mut heading = vec!["P", "time", "speed-up", "efficiency", "at least", "bound"];
    if changed.is_some() {
        heading.extend(["what if", "gain"]);
    }
    let mut table = TextTable::new(heading).right_from(0);
    for (number, row) in of.prediction.rows.iter().enumerate() {
        let mut cells = cells(row);
        if let Some(changed) = changed {
            let then = changed[number].time;
            let gain = row.time.picos() as f64 / then.picos().max(1) as f64;
            cells.push(time(then));
            cells.push(format!("{} ×", decimals(gain, 2)));
        }
        table.row(cells);
    }
    table
}

fn cells(row: &Predicted) -> Vec<String> {
    vec![
        row.processors.to_string(),
        time(row.time),
        decimals(row.speed_up, 2),
        per_cent(row.efficiency),
        time(row.least),
        time(row.bound),
    ]
}

/// The sites with the most work, and how many more there are.
pub(super) fn sites(of: &Conclusions) -> (TextTable, usize) {
    let mut sites: Vec<&SiteFigures> = of.analysis.sites.iter().collect();
    sites.sort_by_key(|site| (std::cmp::Reverse(site.work), site.site));
    let mut table = TextTable::new([
        "site", "call", "work", "share", "span", "burdened", "parallel", "forks", "steals",
        "grain", "on path", "place",
    ]);
    let counted = |number: u64| match of.has_site_counts {
        true => number.to_string(),
        false => "–".to_owned(),
    };
    for site in sites.iter().take(MOST_ROWS) {
        table.row([
            site.site.0.to_string(),
            kind(site.kind).to_owned(),
            time(site.work),
            per_cent(site.share_of_work),
            time(site.span),
            time(site.burdened_span),
            decimals(site.parallelism(), 1),
            counted(site.forks),
            counted(site.steals),
            time(site.mean_grain),
            per_cent(site.share_of_path),
            printable(&place(&of.profile, site.site)),
        ]);
    }
    (table, sites.len().saturating_sub(MOST_ROWS))
}

/// What lies on the critical path, the most first.
pub(super) fn critical_path(of: &Conclusions) -> (TextTable, usize) {
    let path = &of.analysis.critical_path;
    let share = |part: f64| per_cent(part / path.length.picos().max(1) as f64);
    let mut rows: Vec<(u64, [String; 4])> = Vec::new();
    for on_path in path.sites.iter().filter(|site| site.time.picos() > 0) {
        let picos = on_path.time.picos();
        let name = printable(&place(&of.profile, on_path.site));
        rows.push((
            picos,
            [
                time(on_path.time),
                share(picos as f64),
                on_path.site.0.to_string(),
                name,
            ],
        ));
    }
    if path.serial.picos() > 0 {
        let picos = path.serial.picos();
        let outside = "outside of sections".to_owned();
        rows.push((
            picos,
            [
                time(path.serial),
                share(picos as f64),
                "–".to_owned(),
                outside,
            ],
        ));
    }
    rows.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let more = rows.len().saturating_sub(MOST_ROWS);
    let mut table = TextTable::new(["time", "share", "site", "place"]);
    for (_, cells) in rows.into_iter().take(MOST_ROWS) {
        table.row(cells);
    }
    (table, more)
}
