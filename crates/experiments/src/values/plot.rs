//! A plot: curves over two axes.

use serde::Serialize;

/// Curves over the same axes. The points are also written to `ID.csv` beside the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// A name for files and links: small letters, digits, hyphens; no two plots share one.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; no two share a name.
    pub series: Vec<Series>,
    /// A command that computes points of this plot.
    pub command: String,
}

impl Plot {
    /// Whether any point of a series can be drawn: a logarithmic axis has no place for zero.
    pub fn can_show(&self, series: &Series) -> bool {
        let fits =
            |axis: &Axis, value: f64| value.is_finite() && (!axis.logarithmic || value > 0.0);
        let mut points = series.points.iter();
        points.any(|point| fits(&self.x, point.x) && fits(&self.y, point.y))
    }
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What is shown, with its unit.
    pub label: &'static str,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it is called: a policy or scheduler by its name, with details after commas.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// Where the values of a series come from, which is how they are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Computed from a theorem.
    Theory,
    /// Simulated, in virtual time.
    Simulated,
    /// Measured on this machine.
    Measured,
}

impl Origin {
    /// As it is written to JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theory => "theory",
            Self::Simulated => "simulated",
            Self::Measured => "measured",
        }
    }
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
    /// The lower and the upper end of the confidence interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}
