//! The frame of a panel: grid, ticks, labels.

use std::fmt::Write as _;

use super::scale::Scale;
use super::ticks::label;

/// Grid lines and tick labels. The script draws the same ones for other ends when a reader zooms.
pub(crate) fn draw(svg: &mut String, x: &Scale, y: &Scale) {
    let ([left, right], [bottom, top]) = (x.range, y.range);
    svg.push_str("<g class=\"axes\">");
    for tick in y.ticks(room(bottom - top, 45.0)) {
        if let Some(at) = y.at(tick) {
            let _ = write!(
                svg,
                r#"<path d="M{left:.1} {at:.1}H{right:.1}"/><text x="{:.1}" y="{:.1}" class="end">{}</text>"#,
                left - 7.0,
                at + 4.0,
                label(tick)
            );
        }
    }
    for tick in x.ticks(room(right - left, 75.0)) {
        if let Some(at) = x.at(tick) {
            let _ = write!(
                svg,
                r#"<path d="M{at:.1} {top:.1}V{bottom:.1}"/><text x="{at:.1}" y="{:.1}" class="middle">{}</text>"#,
                bottom + 16.0,
                label(tick)
            );
        }
    }
    svg.push_str("</g>\n");
}

/// How many labels fit that need so much each.
fn room(length: f64, each: f64) -> usize {
    ((length / each) as usize).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tick_has_its_line_and_its_label() {
        let scale = |logarithmic| Scale::over([1.0, 900.0].into_iter(), logarithmic);
        let mut svg = String::new();
        draw(
            &mut svg,
            &scale(true).drawn(60.0, 540.0),
            &scale(false).drawn(300.0, 20.0),
        );
        assert_eq!(svg.matches("<path").count(), svg.matches("<text").count());
        for text in [">100<", ">10<", ">800<", ">0<"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
    }
}
