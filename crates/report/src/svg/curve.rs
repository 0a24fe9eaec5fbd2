//! A curve as paths: its band, its line, its markers.
//!
//! Every path is made of absolute `M` and `L` with a place on the page, and relative commands for
//! the shapes of markers around it, so that the script can move all places when a reader zooms.

use std::fmt::Write as _;

use super::axis_scale::AxisScale;
use super::style::Style;
use crate::escape::markup;
use crate::values::{Origin, Point, Series};

/// Markers would cover a line of more points.
const MOST_MARKERS: usize = 40;

/// Relative paths around a place: disc, square, triangles, diamond, cross and so on.
const MARKERS: [&str; 7] = [
    "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
    "m-2.9-2.9h5.8v5.8h-5.8z",
    "m0-3.9l3.6 6.4h-7.2z",
    "m0-4.1l4.1 4.1l-4.1 4.1l-4.1-4.1z",
    "m0 3.9l3.6-6.4h-7.2z",
    "m-1.2-3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
    "m-4 -1.4h8v2.8h-8z",
];

/// The marker of a style, at a place.
pub(crate) fn marker(style: Style, [x, y]: [f64; 2]) -> String {
    let shape = MARKERS[style.marker() % MARKERS.len()];
    format!("M{x:.2} {y:.2}{shape}")
}

/// The curve on two axes.
pub(crate) fn draw(
    svg: &mut String,
    series: &Series,
    label: &str,
    style: Style,
    [x, y]: [&AxisScale; 2],
) {
    let at = |point: &Point| Some([x.at(point.x)?, y.at(point.y)?]);
    let _ = write!(
        svg,
        r#"<g class="s {}" data-series="{}" data-label="{}">"#,
        style.classes(series.origin),
        markup(&series.name),
        markup(label)
    );
    for (name, path) in [
        ("band", band(series, [x, y])),
        ("bars", bars(series, [x, y])),
        ("line", line(series.points.iter().map(at))),
    ] {
        if !path.is_empty() {
            let _ = write!(svg, r#"<path class="{name}" d="{path}"/>"#);
        }
    }
    if series.origin != Origin::Theory && series.points.len() <= MOST_MARKERS {
        let places = series.points.iter().filter_map(at);
        let path: String = places.map(|place| marker(style, place)).collect();
        let _ = write!(svg, r#"<path class="marks" d="{path}"/>"#);
    }
    svg.push_str("</g>\n");
}

/// Points without a place interrupt the line.
fn line(places: impl Iterator<Item = Option<[f64; 2]>>) -> String {
    let mut path = String::new();
    let mut open = false;
    for place in places {
        if let Some([x, y]) = place {
            let command = if open { 'L' } else { 'M' };
            let _ = write!(path, "{command}{x:.2} {y:.2}");
        }
        open = place.is_some();
    }
    path
}

/// A point with its interval, if both ends have a place.
fn ends(point: &Point, [x, y]: [&AxisScale; 2]) -> Option<[[f64; 2]; 2]> {
    let [low, high] = point.interval?;
    let across = x.at(point.x)?;
    Some([[across, y.at(low)?], [across, y.at(high)?]])
}

/// The region between the ends of the intervals, wherever two neighbours have them.
fn band(series: &Series, scales: [&AxisScale; 2]) -> String {
    let all: Vec<_> = series
        .points
        .iter()
        .map(|point| ends(point, scales))
        .collect();
    let mut path = String::new();
    for run in all.split(Option::is_none).filter(|run| run.len() > 1) {
        let run = || run.iter().flatten();
        let around = run()
            .map(|ends| ends[1])
            .chain(run().rev().map(|ends| ends[0]));
        path.push_str(&line(around.map(Some)));
    }
    path
}

/// The intervals themselves, as upright lines.
fn bars(series: &Series, scales: [&AxisScale; 2]) -> String {
    if series.points.len() > MOST_MARKERS {
        return String::new();
    }
    let ends = series.points.iter().filter_map(|point| ends(point, scales));
    ends.map(|[low, high]| line([Some(low), Some(high)].into_iter()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, interval: Option<[f64; 2]>) -> Point {
        Point { x, y, interval }
    }

    #[test]
    fn paths() {
        let series = Series {
            name: "a < b".into(),
            origin: Origin::Simulated,
            points: vec![
                point(0.0, 1.0, Some([0.5, 1.5])),
                point(1.0, 2.0, Some([1.0, 3.0])),
                // No place on a logarithmic axis.
                point(2.0, 0.0, None),
                point(3.0, 1.0, None),
            ],
        };
        let x = AxisScale {
            domain: [0.0, 4.0],
            logarithmic: false,
            whole: false,
            range: [0.0, 400.0],
        };
        let y = AxisScale {
            domain: [0.1, 10.0],
            logarithmic: true,
            whole: false,
            range: [100.0, 0.0],
        };
        let style = Style {
            colour: Some(1),
            variant: 0,
        };
        let mut svg = String::new();
        draw(&mut svg, &series, "b", style, [&x, &y]);
        assert!(svg.contains(r#"class="s c1 v0 simulated" data-series="a &lt; b" data-label="b""#));
        assert!(
            svg.contains(r#"class="line" d="M0.00 50.00L100.00 34.95M300.00 50.00""#),
            "{svg}"
        );
        let band = "M0.00 41.20L100.00 26.14L100.00 50.00L0.00 65.05";
        assert!(
            svg.contains(&format!(r#"class="band" d="{band}""#)),
            "{svg}"
        );
        assert_eq!(svg.matches("m-2.9-2.9").count(), 3);
        assert!(!svg.contains("NaN"));
    }
}
