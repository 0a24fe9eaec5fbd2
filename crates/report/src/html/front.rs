//! The front page: what filch is, how many claims hold, and a plot of each chapter.

use std::fmt::Write as _;

use super::claims;
use crate::escape::markup;
use crate::svg;
use crate::values::{Chapter, Report};

pub(super) fn write(page: &mut String, report: &Report) {
    let count = report.count();
    let (holding, all) = (count.holding, count.all());
    let rest = count.to_string();
    let rest = rest
        .strip_prefix(&format!("{holding} of {all}"))
        .unwrap_or(&rest);
    let _ = writeln!(
        page,
        "<header>\n<h1>What filch reproduced</h1>\n\
         <p class=\"lead\">filch distributes work: over the threads of a program, over servers behind a \
         dispatcher, and over simulated machines of any size. Its rules come from five papers on work \
         stealing and load balancing. This page holds what those papers promise against what was \
         simulated and what this machine measured.</p>\n\
         <p class=\"score\"><strong>{holding}</strong> of <strong>{all}</strong>{rest}. Scale \
         <em>{}</em>, seed {}: <code>{}</code></p>",
        markup(report.scale),
        report.seed,
        markup(&report.command)
    );
    if report.scale == "sketch" {
        page.push_str(
            "<p class=\"note\">A sketch shows what the report looks like; its runs are too short for \
             its verdicts to mean much.</p>\n",
        );
    }
    if !report.missing.is_empty() {
        let missing: Vec<_> = report.missing.iter().map(|title| markup(title)).collect();
        let _ = writeln!(
            page,
            "<p class=\"note\" id=\"missing\">The run is under way, or was interrupted. Not done: {}.</p>",
            missing.join("; ")
        );
    }
    page.push_str("</header>\n");
    // Chapters with a plot first; the others need less room.
    let (drawn, plain): (Vec<_>, Vec<_>) = report
        .chapters
        .iter()
        .partition(|chapter| !chapter.plots.is_empty());
    for chapters in [drawn, plain] {
        page.push_str("<section aria-label=\"chapters at a glance\" class=\"cards\">\n");
        for chapter in chapters {
            card(page, chapter);
        }
        page.push_str("</section>\n");
    }
    claims::table_of_all(page, &report.chapters);
}

/// A chapter at a glance. All on one line if it was measured, so that reports can be compared.
fn card(page: &mut String, chapter: &Chapter) {
    let count = chapter.count();
    let class = if chapter.measured {
        "measured card"
    } else {
        "card"
    };
    let mut text = format!(
        "<article class=\"{class}\"><h2><a href=\"#{}\">{}</a></h2><p>{}{count}</p>",
        chapter.id,
        markup(chapter.title),
        claims::strip(&chapter.claims),
    );
    if let Some(plot) = chapter.plots.first() {
        let figure = svg::thumbnail(plot);
        let _ = write!(
            text,
            "<figure class=\"thumb\">{}{}<figcaption>{}</figcaption></figure>",
            figure.legend,
            figure.svg,
            markup(&plot.title)
        );
    }
    text.push_str("</article>");
    let text = if chapter.measured {
        text.replace('\n', "")
    } else {
        text
    };
    page.push_str(&text);
    page.push('\n');
}
