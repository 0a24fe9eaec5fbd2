//! The page: one file that needs no other, in light and dark, complete without its scripts but for
//! the viewer, which replays.

pub(crate) mod chapter;
mod claims;
pub(crate) mod figure;
mod front;
mod viewer;

use std::fmt::Write as _;

use crate::escape::markup;
use crate::values::Report;

pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 4] = [
    include_str!("theme.js"),
    include_str!("page.js"),
    include_str!("plots.js"),
    include_str!("viewer.js"),
];

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>What filch reproduced</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">to the content</a>\n"
    );
    navigation(&mut page, report);
    page.push_str("<main id=\"main\">\n");
    front::write(&mut page, report);
    viewer::write(&mut page, &report.schedules);
    for chapter in &report.chapters {
        chapter::write(&mut page, chapter);
    }
    let _ = write!(
        page,
        "</main>\n<footer>filch {}, seed {}. This page again: <code>{}</code></footer>\n",
        markup(report.version),
        report.seed,
        markup(&report.command)
    );
    for script in SCRIPTS {
        let _ = write!(page, "<script>\n{script}</script>\n");
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn navigation(page: &mut String, report: &Report) {
    page.push_str(
        "<nav aria-label=\"chapters\"><a class=\"brand\" href=\"#main\">filch</a>\
         <a href=\"#claims\">claims</a>",
    );
    if !report.schedules.is_empty() {
        page.push_str("<a href=\"#schedules\">schedules</a>");
    }
    for chapter in &report.chapters {
        // Titles are too long for a line of all of them.
        let short = chapter.id.replace('-', " ");
        let _ = write!(
            page,
            "<a href=\"#{}\" title=\"{}\">{short}</a>",
            chapter.id,
            markup(chapter.title)
        );
    }
    page.push_str("<button type=\"button\" id=\"theme\" hidden>dark</button></nav>\n");
}

/// A paragraph in which `code` stands between backticks.
fn paragraph(text: &str) -> String {
    let mut html = String::from("<p>");
    for (at, part) in text.split('`').enumerate() {
        let part = markup(part);
        if at % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
        } else {
            html.push_str(&part);
        }
    }
    html.push_str("</p>\n");
    html
}

#[cfg(test)]
mod tests;
