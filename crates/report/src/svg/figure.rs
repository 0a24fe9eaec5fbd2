//! A plot, drawn: its panels, their axes and curves.

use std::fmt::Write as _;

use super::axis_scale::AxisScale;
use super::panels::{self, Panel};
use super::style::Styles;
use super::{axes, curve, legend};
use crate::escape::markup;
use crate::values::{Origin, Plot};

/// A plot, drawn.
pub(crate) struct Figure {
    /// The picture.
    pub(crate) svg: String,
    /// What is what: a list of buttons.
    pub(crate) legend: String,
    /// Whether it needs the whole width of the page.
    pub(crate) wide: bool,
}

const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 26.0;

/// Draws `plot`.
pub(crate) fn figure(plot: &Plot) -> Figure {
    let panels = panels::divide(plot);
    draw(plot, &panels, &Styles::for_all(&panels), "")
}

/// Draws `plot`, or the first of its panels. The identifiers differ from those of [`figure`], so
/// that a page can hold both.
pub(crate) fn thumbnail(plot: &Plot) -> Figure {
    let mut panels = panels::divide(plot);
    let styles = Styles::for_all(&panels);
    panels.truncate(1);
    draw(plot, &panels, &styles, "front-")
}

fn draw(plot: &Plot, panels: &[Panel<'_>], styles: &Styles, prefix: &str) -> Figure {
    let curves = || panels.iter().flat_map(|panel| &panel.curves);
    let points = || curves().flat_map(|(_, series)| &series.points);
    let x = AxisScale::over(points().map(|point| point.x), plot.x.logarithmic);
    let heights = points().flat_map(|point| {
        let [low, high] = point.interval.unwrap_or([point.y; 2]);
        [low, point.y, high]
    });
    let y = AxisScale::over(heights, plot.y.logarithmic);

    let columns = match panels.len() {
        1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let (width, height) = match columns {
        1 if !prefix.is_empty() => (420.0, 300.0),
        1 => (560.0, 360.0),
        2 => (560.0, 300.0),
        _ => (373.0, 280.0),
    };
    let rows = panels.len().div_ceil(columns);
    let mut svg = String::new();
    let id = format!("{prefix}{}", plot.id);
    let _ = writeln!(
        svg,
        r#"<svg class="plot" viewBox="0 0 {:.0} {:.0}" role="img" tabindex="0" aria-labelledby="{id}-t {id}-d" {}><title id="{id}-t">{}</title><desc id="{id}-d">{}</desc>"#,
        width * columns as f64,
        height * rows as f64,
        axes::attributes(
            &x.drawn(LEFT, width - RIGHT),
            &y.drawn(height - BOTTOM, TOP)
        ),
        markup(&plot.title),
        markup(&description(plot)),
    );
    for (at, panel) in panels.iter().enumerate() {
        let [column, row] = [at % columns, at / columns].map(|place| place as f64);
        let (from, to) = (column * width + LEFT, (column + 1.0) * width - RIGHT);
        let (top, bottom) = (row * height + TOP, (row + 1.0) * height - BOTTOM);
        let scales = [&x.drawn(from, to), &y.drawn(bottom, top)];
        draw_panel(&mut svg, panel, styles, scales, &format!("{id}-{at}"));
        let below = (bottom + 36.0, plot.x.label);
        let _ = writeln!(
            svg,
            r#"<text class="label middle" x="{:.1}" y="{:.1}">{}</text>"#,
            (from + to) / 2.0,
            below.0,
            markup(below.1)
        );
        if column == 0.0 {
            let (across, up) = (from - 50.0, (top + bottom) / 2.0);
            let _ = writeln!(
                svg,
                r#"<text class="label middle" x="{across:.1}" y="{up:.1}" transform="rotate(-90 {across:.1} {up:.1})">{}</text>"#,
                markup(plot.y.label)
            );
        }
    }
    svg.push_str("</svg>\n");
    Figure {
        svg,
        legend: legend::list(styles, &|label, origin| {
            curves().any(|(other, series)| *other == label && series.origin == origin)
        }),
        wide: columns > 1,
    }
}

fn draw_panel(
    svg: &mut String,
    panel: &Panel<'_>,
    styles: &Styles,
    [x, y]: [&AxisScale; 2],
    id: &str,
) {
    let ([left, right], [bottom, top]) = (x.range, y.range);
    let (width, height) = (right - left, bottom - top);
    let _ = writeln!(
        svg,
        r#"<g class="panel" data-box="{left:.1} {right:.1} {top:.1} {bottom:.1}"><clipPath id="{id}-c"><rect x="{left:.1}" y="{:.1}" width="{width:.1}" height="{:.1}"/></clipPath><rect class="back" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#,
        top - 5.0,
        height + 10.0,
    );
    axes::draw(svg, x, y);
    let _ = writeln!(svg, r#"<g clip-path="url(#{id}-c)">"#);
    // Theorems first: what was run is drawn over them.
    for theory in [true, false] {
        for (label, series) in &panel.curves {
            if (series.origin == Origin::Theory) == theory {
                let style = styles.get(label, series.origin);
                curve::draw(svg, series, label, style, [x, y]);
            }
        }
    }
    let _ = writeln!(
        svg,
        r#"</g><text class="panel-title" x="{left:.1}" y="{:.1}">{}</text></g>"#,
        top - 9.0,
        markup(panel.title)
    );
}

/// The figure in words, for screen readers.
fn description(plot: &Plot) -> String {
    let names: Vec<String> = plot
        .series
        .iter()
        .filter(|series| plot.can_show(series))
        .map(|series| format!("{} ({})", series.name, series.origin.name()))
        .collect();
    format!(
        "{} against {}. Curves: {}. The values are in the table of data below.",
        plot.y.label,
        plot.x.label,
        names.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Axis, Point, Series};

    #[test]
    fn a_figure_is_well_formed() {
        let series = |name: &str, origin| Series {
            name: name.to_owned(),
            origin,
            points: vec![
                Point {
                    x: 1.0,
                    y: 0.0,
                    interval: None,
                },
                Point {
                    x: 2.0,
                    y: 5.0,
                    interval: Some([4.0, 6.0]),
                },
            ],
        };
        let axis = |label, logarithmic| Axis { label, logarithmic };
        let plot = Plot {
            id: "queue".into(),
            title: "Queues & <more>".into(),
            x: axis("load", false),
            y: axis("jobs", true),
            series: vec![
                series("uPI", Origin::Simulated),
                series("bound", Origin::Theory),
            ],
            command: "filch".into(),
        };
        let figure = thumbnail(&plot);
        for tag in ["svg", "g", "clipPath", "text", "title", "desc"] {
            let opened = figure.svg.matches(&format!("<{tag} ")).count()
                + figure.svg.matches(&format!("<{tag}>")).count();
            assert_eq!(
                opened,
                figure.svg.matches(&format!("</{tag}>")).count(),
                "{tag}"
            );
        }
        assert!(
            figure
                .svg
                .contains(r#"<title id="front-queue-t">Queues &amp; &lt;more&gt;</title>"#)
        );
        assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf"));
        assert_eq!(figure.legend.matches("<button").count(), 2);
        assert!(!figure.wide);
    }
}
