//! A plot on the page: picture, legend, its data and the command that made it.

use std::fmt::Write as _;

use crate::escape::{data_link, markup};
use crate::values::{Plot, Series};
use crate::{plot_csv, svg};

pub(crate) fn write(page: &mut String, plot: &Plot) {
    let figure = svg::figure(plot);
    let (name, table) = plot_csv::file(plot);
    let _ = writeln!(
        page,
        "<figure class=\"{}\" id=\"plot-{}\"><figcaption>{}</figcaption>\n{}{}\
         <p class=\"source\"><a class=\"data\" download=\"{name}\" href=\"{}\">data: {name}</a> \
         <code>{}</code></p>",
        if figure.wide { "wide" } else { "narrow" },
        plot.id,
        markup(&plot.title),
        figure.legend,
        figure.svg,
        markup(&data_link(&table)),
        markup(&plot.command)
    );
    let empty: Vec<_> = plot
        .series
        .iter()
        .filter(|series| !plot.can_show(series))
        .map(|Series { name, .. }| markup(name))
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
