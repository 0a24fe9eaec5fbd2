//! The page: one file that needs no other, complete without its scripts but for zooming.

use std::fmt::Write as _;

use filch_experiments::profile::Total;
use filch_profile::Ending;

use super::flame::Measure;
use super::{Shown, flame, per_cent, schedule, speed_up, tables, time};
use crate::escape::markup;
use crate::html::{self, STYLE};
use crate::number::decimals;

const OWN_STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 3] = [
    include_str!("../html/theme.js"),
    include_str!("../html/plots.js"),
    include_str!("flame.js"),
];

/// The profile as one HTML file that loads nothing.
pub fn page(shown: &Shown<'_>) -> String {
    let name = markup(&name(shown));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{name}: a profile</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">to the content</a>\n\
         <nav aria-label=\"parts\"><a class=\"brand\" href=\"#main\">{name}</a>\
         <a href=\"#speed-up\">speed-up</a><a href=\"#path\">critical path</a>\
         <a href=\"#sites\">sites</a><a href=\"#flames\">flame graphs</a>"
    );
    let is_small = schedule::is_small(shown);
    if is_small {
        page.push_str("<a href=\"#schedule\">schedule</a>");
    }
    page.push_str("<button type=\"button\" id=\"theme\" hidden>dark</button></nav>\n");
    page.push_str("<main id=\"main\">\n");
    head(&mut page, shown, &name);
    page.push_str(
        "<section class=\"chapter\" id=\"speed-up\"><h2>Speed-up</h2>\n<div class=\"figures\">\n",
    );
    html::figure::write(&mut page, &speed_up::plot(shown));
    page.push_str("</div>\n");
    html::chapter::write_table(&mut page, &speed_up::table(shown));
    page.push_str(
        "</section>\n<section class=\"chapter\" id=\"path\"><h2>Critical path</h2>\n\
         <p>What no number of processors makes shorter, by the calls whose closures lie on it. \
         Shorten the first of them first.</p>\n",
    );
    tables::critical_path(&mut page, shown);
    page.push_str("</section>\n<section class=\"chapter\" id=\"sites\"><h2>Sites</h2>\n");
    html::chapter::write_table(&mut page, &tables::sites(shown));
    page.push_str(
        "</section>\n<section class=\"chapter\" id=\"flames\"><h2>Flame graphs</h2>\n\
         <p>What is forked lies under the call that forks it, whichever worker has run it. A call \
         that recurs within itself is one box. Choose a box to zoom in, the program to zoom \
         out.</p>\n<div class=\"figures\">\n",
    );
    flame::write(&mut page, shown, Measure::Work);
    flame::write(&mut page, shown, Measure::Span);
    page.push_str("</div></section>\n");
    if is_small {
        page.push_str("<section class=\"chapter\" id=\"schedule\"><h2>Schedule</h2>\n");
        schedule::write(&mut page, shown);
        page.push_str("</section>\n");
    }
    let _ = write!(
        page,
        "</main>\n<footer>The same in a terminal: <code>{}</code></footer>\n",
        markup(shown.command)
    );
    for script in SCRIPTS {
        let _ = write!(page, "<script>\n{script}</script>\n");
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// The program's name without its folder.
fn name(shown: &Shown<'_>) -> String {
    let command = shown.profile.program.command.first();
    let command = command.map_or("a program", String::as_str);
    command
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(command)
        .to_owned()
}

/// How many forks there were, and how many of them no caller waits for.
fn forks(total: &Total) -> String {
    match total.detached {
        0 => total.forks.to_string(),
        detached => format!("{}, {detached} of them jobs on their own", total.forks),
    }
}

/// What matters most, in one look.
fn head(page: &mut String, shown: &Shown<'_>, name: &str) {
    let program = &shown.profile.program;
    let total = &shown.analysis.total;
    let recording = &shown.profile.recording;
    let _ = writeln!(
        page,
        "<h1>{name}</h1>\n<p class=\"lead\"><code>{}</code></p>",
        markup(&program.command.join(" "))
    );
    let busy = total.work + recording.spent;
    let spent = recording.spent.picos() as f64 / busy.picos().max(1) as f64;
    let threads = match program.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    page.push_str("<dl class=\"facts\">\n");
    for (fact, value) in [
        ("work T1 with serial time", time(total.t1())),
        ("span Tinf with serial time", time(total.tinf())),
        ("parallelism", decimals(total.parallelism(), 1)),
        ("with burden", decimals(total.burdened_parallelism(), 1)),
        ("outside of sections", time(total.serial)),
        ("forks", forks(total)),
        ("steals", total.steals.to_string()),
        ("mean grain", time(total.mean_grain)),
        ("recorded", format!("{} on {threads}", time(program.wall))),
        ("recording took", format!("{}, subtracted", per_cent(spent))),
    ] {
        let _ = writeln!(
            page,
            "<div><dt>{fact}</dt><dd>{}</dd></div>",
            markup(&value)
        );
    }
    page.push_str("</dl>\n");
    if recording.ending == Ending::CutShort {
        page.push_str(
            "<p class=\"note\">The program was ended from outside. What was complete by then is \
             here.</p>\n",
        );
    }
    if !shown.hints.is_empty() {
        page.push_str("<ul class=\"hints\">\n");
        for hint in shown.hints {
            let _ = writeln!(page, "<li>{}</li>", markup(hint));
        }
        page.push_str("</ul>\n");
    }
}
