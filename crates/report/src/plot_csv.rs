//! The data of a plot as a CSV file.

use crate::csv::{Csv, Field};
use crate::values::Plot;

/// The name of the file, and its content: one line for each point, the ends of its interval empty
/// where it has none.
pub(crate) fn file(plot: &Plot) -> (String, String) {
    let mut file = Csv::new(&["series", "origin", "x", "y", "low", "high"]);
    for series in &plot.series {
        for point in &series.points {
            let [low, high] = match point.interval {
                Some(ends) => ends.map(Field::Real),
                None => [Field::Empty; 2],
            };
            file.row(&[
                Field::Name(&series.name),
                Field::Keyword(series.origin.name()),
                point.x.into(),
                point.y.into(),
                low,
                high,
            ]);
        }
    }
    (format!("{}.csv", plot.id), file.into_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Axis, Origin, Point, Series};

    #[test]
    fn a_line_for_each_point() {
        let point = |x, y, interval| Point { x, y, interval };
        let axis = |label| Axis {
            label,
            logarithmic: false,
        };
        let plot = Plot {
            id: "load".into(),
            title: "Load".into(),
            x: axis("processors"),
            y: axis("jobs"),
            series: vec![Series {
                name: "the \"natural\" one, half".into(),
                origin: Origin::Simulated,
                points: vec![point(1.0, 0.5, Some([0.25, 0.75])), point(2.0, 1e9, None)],
            }],
            command: "filch natural".into(),
        };
        let table = "series,origin,x,y,low,high\n\
                     \"the \"\"natural\"\" one, half\",simulated,1,0.5,0.25,0.75\n\
                     \"the \"\"natural\"\" one, half\",simulated,2,1000000000,,\n";
        assert_eq!(file(&plot), ("load.csv".to_owned(), table.to_owned()));
    }
}
