//! A chapter on the page.

use std::fmt::Write as _;

use super::{claims, figure, paragraph};
use crate::cell::shown;
use crate::escape::markup;
use crate::values::{Cell, Chapter, Table};

/// Tables with more rows are collapsed.
const SHORT: usize = 12;

pub(super) fn write(page: &mut String, chapter: &Chapter) {
    let count = chapter.count();
    let _ = writeln!(
        page,
        "<section class=\"chapter\" id=\"{}\"><h2>{}</h2>\n<p class=\"score\">{count}{}</p>",
        chapter.id,
        markup(chapter.title),
        if chapter.measured {
            "; measured on this machine, so the numbers differ from run to run"
        } else {
            ""
        }
    );
    for part in chapter.text.split("\n\n") {
        page.push_str(&paragraph(part));
    }
    if !chapter.plots.is_empty() {
        page.push_str("<div class=\"figures\">\n");
        for plot in &chapter.plots {
            figure::write(page, plot);
        }
        page.push_str("</div>\n");
    }
    if !chapter.claims.is_empty() {
        page.push_str("<h3>Claims</h3>\n");
        claims::table_of_chapter(page, &chapter.claims);
    }
    for table in &chapter.tables {
        write_table(page, table);
    }
    page.push_str("</section>\n");
}

pub(crate) fn write_table(page: &mut String, table: &Table) {
    let title = markup(&table.title);
    let _ = write!(
        page,
        "<details{}><summary><h3>{title}</h3> {} rows</summary>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table>\n<thead><tr>",
        if table.rows.len() <= SHORT {
            " open"
        } else {
            ""
        },
        table.rows.len()
    );
    for (at, column) in table.columns.iter().enumerate() {
        let numbers = table
            .rows
            .iter()
            .filter_map(|row| row.get(at))
            .all(is_number);
        let class = if numbers { " class=\"number\"" } else { "" };
        let _ = write!(page, "<th{class}>{}</th>", markup(column));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let class = if is_number(cell) {
                " class=\"number\""
            } else {
                ""
            };
            let _ = write!(page, "<td{class}>{}</td>", markup(&shown(cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div></details>\n");
}

fn is_number(cell: &Cell) -> bool {
    !matches!(cell, Cell::Text(_))
}
