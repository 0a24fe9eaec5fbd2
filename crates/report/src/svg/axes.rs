//! The frame of a panel: grid, ticks, labels.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::axis_scale::AxisScale;
use crate::number::label;

/// The room for a tick label beside the x-axis, in pixels.
const WIDTH: f64 = 75.0;
/// The room for a tick label beside the y-axis.
const HEIGHT: f64 = 45.0;
/// The least distance of neighbouring ticks, as a part of that room: ticks of a logarithmic axis
/// are not evenly spaced.
const CLOSEST: f64 = 0.6;
/// A reader can zoom until 1/16 of an axis is left. Beyond that it would show that places are
/// rounded to hundredths of a pixel.
const ZOOM: f64 = 16.0;

/// Grid lines and tick labels. The script draws them anew from [`attributes`] when a reader zooms.
pub(crate) fn draw(svg: &mut String, x: &AxisScale, y: &AxisScale) {
    let ([left, right], [bottom, top]) = (x.range, y.range);
    svg.push_str("<g class=\"axes\">");
    for tick in &y.ticks(room(y, HEIGHT), 1.0)[0] {
        if let Some(at) = y.at(*tick) {
            let _ = write!(
                svg,
                r#"<path d="M{left:.1} {at:.1}H{right:.1}"/><text x="{:.1}" y="{:.1}" class="end">{}</text>"#,
                left - 7.0,
                at + 4.0,
                label(*tick)
            );
        }
    }
    for tick in &x.ticks(room(x, WIDTH), 1.0)[0] {
        if let Some(at) = x.at(*tick) {
            let _ = write!(
                svg,
                r#"<path d="M{at:.1} {top:.1}V{bottom:.1}"/><text x="{at:.1}" y="{:.1}" class="middle">{}</text>"#,
                bottom + 16.0,
                label(*tick)
            );
        }
    }
    svg.push_str("</g>\n");
}

/// All that the script needs to zoom. For each axis, its ends, whether it is logarithmic, and how
/// close ticks may be; then its ticks, each level without those before it. A tick is its label,
/// with its value before it where the label is no plain number.
pub(crate) fn attributes(x: &AxisScale, y: &AxisScale) -> String {
    let mut attributes = format!("data-zoom=\"{ZOOM}\"");
    for (name, axis, each) in [('x', x, WIDTH), ('y', y, HEIGHT)] {
        let [low, high] = axis.domain;
        let mut written = HashSet::new();
        let levels = axis.ticks(room(axis, each), ZOOM);
        let levels = levels.into_iter().map(|ticks| {
            let labels = ticks.into_iter().map(|tick| (tick, label(tick)));
            let new = labels.filter(|(_, label)| written.insert(label.clone()));
            let new = new.map(|(tick, label)| match label.parse::<f64>() {
                Ok(_) => label,
                Err(_) => format!("{tick}={label}"),
            });
            new.collect::<Vec<_>>().join(" ")
        });
        let levels: Vec<String> = levels.filter(|level| !level.is_empty()).collect();
        let _ = write!(
            attributes,
            " data-{name}=\"{low} {high} {} {}\" data-{name}-ticks=\"{}\"",
            axis.logarithmic,
            CLOSEST * each,
            levels.join("|")
        );
    }
    attributes
}

/// How many labels fit that need so much each.
fn room(axis: &AxisScale, each: f64) -> usize {
    let [from, to] = axis.range;
    (((to - from).abs() / each) as usize).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tick_has_its_line_and_its_label() {
        let scale = |logarithmic| AxisScale::over([1.0, 900.0].into_iter(), logarithmic);
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

    #[test]
    fn the_page_carries_the_ticks_of_every_zoom() {
        let scale =
            |values: [f64; 2], logarithmic| AxisScale::over(values.into_iter(), logarithmic);
        let x = scale([1.0, 1e6], true).drawn(0.0, 225.0);
        let y = scale([0.0, 1.5], false).drawn(90.0, 0.0);
        let attributes = attributes(&x, &y);
        assert!(
            attributes.starts_with("data-zoom=\"16\" data-x=\""),
            "{attributes}"
        );
        // Every third power of ten, then the others, then what is between them.
        let across = "data-x-ticks=\"1 1000 1000000=10⁶|10 100 10000 100000=10⁵|2 5 20 50 ";
        assert!(attributes.contains(across), "{attributes}");
        let up = "data-y-ticks=\"0 1|0.5 1.5|0.1 0.2 0.3 0.4 0.6 ";
        assert!(attributes.contains(up), "{attributes}");
    }
}
