//! Claims and their verdicts.

use std::fmt::Write as _;

use super::escaped;
use crate::svg::number;
use crate::values::{Chapter, Claim};

/// All claims of all chapters: theory, simulated, measured on this machine, verdict.
pub(super) fn table_of_all(page: &mut String, chapters: &[Chapter]) {
    page.push_str(
        "<section id=\"claims\"><h2>All claims</h2>\n\
         <p>Where a claim comes down to one number, it stands beside what it is held against. A claim \
         that does not hold is shown as that; its chapter says what was looked at.</p>\n\
         <p class=\"filter\" hidden><label><input type=\"checkbox\" id=\"failing\"> only what does not \
         hold</label></p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"all claims\"><table class=\"claims\">\n\
         <thead><tr><th>claim</th><th>stated in</th><th class=\"number\">theory</th><th>simulated</th>\
         <th>this machine</th><th>verdict</th></tr></thead>\n",
    );
    for chapter in chapters {
        let _ = writeln!(
            page,
            "<tbody><tr class=\"group\"><th colspan=\"6\" scope=\"rowgroup\"><a href=\"#{}\">{}</a></th></tr>",
            chapter.id,
            escaped(chapter.title)
        );
        for claim in &chapter.claims {
            let found = found(claim);
            let [simulated, measured] = if chapter.measured {
                ["–", &found]
            } else {
                [&found, "–"]
            };
            let _ = writeln!(
                page,
                "<tr class=\"{}{}\"><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{simulated}</td><td>{measured}</td>{}</tr>",
                if chapter.measured { "measured " } else { "" },
                if claim.holds { "holds" } else { "fails" },
                escaped(&claim.claim),
                escaped(claim.stated),
                claim.bound.map_or_else(|| "–".to_owned(), number),
                verdict(claim)
            );
        }
        page.push_str("</tbody>\n");
    }
    page.push_str("</table></div></section>\n");
}

/// The claims of one chapter, with what was looked at.
pub(super) fn table_of_chapter(page: &mut String, claims: &[Claim]) {
    page.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"claims\"><table class=\"claims\">\n\
         <thead><tr><th>claim</th><th>stated in</th><th>checked on</th><th>found</th>\
         <th class=\"number\">theory</th><th>verdict</th></tr></thead>\n<tbody>\n",
    );
    for claim in claims {
        let _ = writeln!(
            page,
            "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td>{}</tr>",
            if claim.holds { "holds" } else { "fails" },
            escaped(&claim.claim),
            escaped(claim.stated),
            escaped(&claim.checked),
            found(claim),
            claim.bound.map_or_else(|| "–".to_owned(), number),
            verdict(claim)
        );
    }
    page.push_str("</tbody></table></div>\n");
}

/// The number that decides, then the words.
fn found(claim: &Claim) -> String {
    let words = escaped(&claim.found);
    match claim.measured {
        Some(measured) if measured.is_finite() => {
            format!("<b class=\"decides\">{}</b> {words}", number(measured))
        }
        _ => words,
    }
}

fn verdict(claim: &Claim) -> &'static str {
    if claim.holds {
        "<td class=\"verdict\"><span class=\"yes\">✓ holds</span></td>"
    } else {
        "<td class=\"verdict\"><span class=\"no\">✗ does not hold</span></td>"
    }
}

/// A mark for each claim, in their order.
pub(super) fn strip(claims: &[Claim]) -> String {
    let marks = claims.iter().map(|claim| {
        let (class, mark) = if claim.holds {
            ("yes", "✓")
        } else {
            ("no", "✗")
        };
        format!(
            "<i class=\"{class}\" title=\"{}\">{mark}</i>",
            escaped(&claim.claim)
        )
    });
    format!(
        "<span class=\"strip\" aria-hidden=\"true\">{}</span>",
        marks.collect::<String>()
    )
}
