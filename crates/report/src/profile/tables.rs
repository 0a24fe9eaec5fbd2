//! The sites, and the critical path.

use std::cmp::Reverse;
use std::fmt::Write as _;

use filch_experiments::profile::SiteFigures;
use filch_profile::{Duration, SiteId};

use super::{Shown, kind, per_cent, place, time};
use crate::escape::markup;
use crate::number::decimals;
use crate::values::{Cell, Table};

/// All sites, those with the most work first.
pub(super) fn sites(shown: &Shown<'_>) -> Table {
    let mut sites: Vec<&SiteFigures> = shown.analysis.sites.iter().collect();
    sites.sort_by_key(|site| (Reverse(site.work), site.site));
    let row = |site: &&SiteFigures| -> Vec<Cell> {
        vec![
            u64::from(site.site.0).into(),
            Cell::Text(place(shown.profile, site.site)),
            Cell::Text(kind(site.kind).to_owned()),
            time(site.work).into(),
            per_cent(site.share_of_work).into(),
            time(site.span).into(),
            time(site.burdened_span).into(),
            Cell::Text(decimals(site.parallelism(), 1)),
            site.forks.into(),
            site.steals.into(),
            time(site.mean_grain).into(),
            per_cent(site.share_of_path).into(),
        ]
    };
    Table {
        title: "Sites".to_owned(),
        columns: vec![
            "site", "place", "call", "work", "share", "span", "burdened", "parallel", "forks",
            "steals", "grain", "on path",
        ],
        rows: sites.iter().map(row).collect(),
    }
}

/// The critical path: a bar for each place on it, the longest first.
pub(super) fn critical_path(page: &mut String, shown: &Shown<'_>) {
    let path = &shown.analysis.critical_path;
    let mut rows: Vec<(Duration, Option<SiteId>)> = path
        .sites
        .iter()
        .filter(|site| site.time > Duration::ZERO)
        .map(|site| (site.time, Some(site.site)))
        .collect();
    if path.serial > Duration::ZERO {
        rows.push((path.serial, None));
    }
    rows.sort_by_key(|&(time, site)| (Reverse(time), site));
    page.push_str("<ol class=\"path\">\n");
    for (at, site) in rows {
        let share = at.picos() as f64 / path.length.picos().max(1) as f64;
        let name = match site {
            Some(site) => format!("site {}, {}", site.0, place(shown.profile, site)),
            None => "serial: outside of all sections".to_owned(),
        };
        let class = site.map_or_else(|| "ink".to_owned(), colour);
        let _ = writeln!(
            page,
            "<li><span class=\"number\">{}</span><span class=\"number\">{}</span>\
             <span class=\"trough {class}\"><i style=\"width:{:.2}%\"></i></span>\
             <span>{}</span></li>",
            markup(&time(at)),
            markup(&per_cent(share)),
            100.0 * share,
            markup(&name)
        );
    }
    page.push_str("</ol>\n");
}

/// The class of a site's colour: the same in all parts of the page.
pub(super) fn colour(site: SiteId) -> String {
    format!("c{}", site.0 as usize % crate::svg::COLOURS)
}
