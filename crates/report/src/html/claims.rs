//! Claims and their verdicts.

use std::fmt::Write as _;

use crate::escape::markup;
use crate::number;
use crate::values::{Chapter, Claim, Outcome};

/// All claims of all chapters: theory, simulated, measured on this machine, verdict.
pub(super) fn table_of_all(page: &mut String, chapters: &[Chapter]) {
    page.push_str(
        "<section id=\"claims\"><h2>All claims</h2>\n\
         <p>Where a claim comes down to one number, it stands beside what it is held against. A claim \
         that does not hold, or that the runs cannot decide, is shown as that; its chapter says what \
         was looked at.</p>\n\
         <p class=\"filter\" hidden><label><input type=\"checkbox\" id=\"failing\"> only what does not \
         hold or is undecided</label></p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"all claims\"><table class=\"claims\">\n\
         <thead><tr><th>claim</th><th>stated in</th><th class=\"number\">theory, bound</th><th>simulated</th>\
         <th>this machine</th><th>verdict</th></tr></thead>\n",
    );
    for chapter in chapters {
        let _ = writeln!(
            page,
            "<tbody><tr class=\"group\"><th colspan=\"6\" scope=\"rowgroup\"><a href=\"#{}\">{}</a></th></tr>",
            chapter.id,
            markup(chapter.title)
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
                class(claim.outcome),
                markup(&claim.claim),
                markup(claim.stated),
                bound(claim),
                verdict(claim)
            );
        }
        page.push_str("</tbody>\n");
    }
    page.push_str("</table></div></section>\n");
}

/// The claims of one chapter, with what each was checked on.
pub(super) fn table_of_chapter(page: &mut String, claims: &[Claim]) {
    page.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"claims\"><table class=\"claims\">\n\
         <thead><tr><th>claim</th><th>stated in</th><th>checked on</th><th>found</th>\
         <th class=\"number\">theory, bound</th><th>verdict</th></tr></thead>\n<tbody>\n",
    );
    for claim in claims {
        let _ = writeln!(
            page,
            "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td>{}</tr>",
            class(claim.outcome),
            markup(&claim.claim),
            markup(claim.stated),
            markup(&claim.checked),
            found(claim),
            bound(claim),
            verdict(claim)
        );
    }
    page.push_str("</tbody></table></div>\n");
}

/// The deciding number, then the words, which may begin with it.
fn found(claim: &Claim) -> String {
    let words = markup(&claim.found);
    let Some(measured) = claim.measured.filter(|measured| measured.is_finite()) else {
        return words;
    };
    let number = decisive(measured);
    let rest = words
        .strip_prefix(&number)
        .filter(|rest| rest.starts_with(' '))
        .unwrap_or(&words);
    format!("<b class=\"decides\">{number}</b> {}", rest.trim_start())
}

/// A number that decides: four digits, or a power of ten.
fn decisive(number: f64) -> String {
    let size = number.abs();
    if (1e-3..1e6).contains(&size) {
        number::short(number)
    } else {
        number::label(number)
    }
}

fn bound(claim: &Claim) -> String {
    let bound = claim.bound.filter(|bound| bound.is_finite());
    bound.map_or_else(|| "–".to_owned(), decisive)
}

fn verdict(claim: &Claim) -> String {
    let (class, mark) = mark(claim.outcome);
    format!(
        "<td class=\"verdict\"><span class=\"{class}\">{mark} {}</span></td>",
        claim.outcome.name()
    )
}

/// The class of a claim's row.
fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::DoesNotHold => "fails",
        Outcome::Undecided => "open",
    }
}

/// The class and the sign of an outcome.
fn mark(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Holds => ("yes", "✓"),
        Outcome::DoesNotHold => ("no", "✗"),
        Outcome::Undecided => ("unknown", "?"),
    }
}

/// A mark for each claim, in their order.
pub(super) fn strip(claims: &[Claim]) -> String {
    let marks = claims.iter().map(|claim| {
        let (class, mark) = mark(claim.outcome);
        format!(
            "<i class=\"{class}\" title=\"{}\">{mark}</i>",
            markup(&claim.claim)
        )
    });
    format!(
        "<span class=\"strip\" aria-hidden=\"true\">{}</span>",
        marks.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_that_decides_stands_once() {
        let found = |words: &str, measured| {
            found(&Claim {
                claim: String::new(),
                stated: "",
                checked: String::new(),
                found: words.to_owned(),
                measured,
                bound: None,
                outcome: Outcome::Holds,
            })
        };
        assert_eq!(
            found("0 violations", Some(0.0)),
            "<b class=\"decides\">0</b> violations"
        );
        assert_eq!(
            found("1.5 < 2", Some(445.852)),
            "<b class=\"decides\">445.9</b> 1.5 &lt; 2"
        );
        assert_eq!(
            found("10 of 10", Some(1.0)),
            "<b class=\"decides\">1</b> 10 of 10"
        );
        assert_eq!(found("nothing", None), "nothing");
        assert_eq!(found("nothing", Some(f64::NAN)), "nothing");
    }
}
