//! A plot: curves over two axes.

use serde::Serialize;

/// Curves that are worth seeing together. Written as `ID.csv` beside the report too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// A name for files and links: small letters, digits, hyphens; no two plots share one.
    pub id: String,
    /// What is seen.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The curves; no two share a name.
    pub series: Vec<Series>,
    /// What to type to get points of this plot alone.
    pub command: String,
}

impl Plot {
    /// Whether any point of a series has a place on the axes: a logarithmic one has none for zero.
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
    /// Whether equal distances are equal ratios.
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
    /// A theorem.
    Theory,
    /// Virtual time.
    Simulated,
    /// This machine.
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

/// A point of a curve, with the ends of its confidence interval if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Its lower and its upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}
