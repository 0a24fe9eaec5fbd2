//! A plot on the page: picture, legend, its data and the command that made it.

use std::fmt::Write as _;

use super::escape::data_link;
use super::escaped;
use crate::values::{Plot, Series};
use crate::{csv, svg};

pub(super) fn write(page: &mut String, plot: &Plot) {
    let figure = svg::figure(plot);
    let (name, table) = csv::file(plot);
    let _ = writeln!(
        page,
        "<figure class=\"{}\" id=\"plot-{}\"><figcaption>{}</figcaption>\n{}{}\
         <p class=\"source\"><a class=\"data\" download=\"{name}\" href=\"{}\">data: {name}</a> \
         <code>{}</code></p>",
        if figure.wide { "wide" } else { "narrow" },
        plot.id,
        escaped(&plot.title),
        figure.legend,
        figure.svg,
        escaped(&data_link(&table)),
        escaped(&plot.command)
    );
    let empty: Vec<_> = plot
        .series
        .iter()
        .filter(|series| !plot.can_show(series))
        .map(|Series { name, .. }| escaped(name))
        .collect();
    if !empty.is_empty() {
        let _ = writeln!(
            page,
            "<p class=\"source\">Not drawn, without a point that the axes can show (a logarithmic one has no zero): {}.</p>",
            empty.join("; ")
        );
    }
    page.push_str("</figure>\n");
}
