//! The data of a plot, for spreadsheets and other programs.

use std::fmt::Write as _;

use crate::values::Plot;

/// The name of the file, and its content: one line for each point, the ends of its interval empty
/// where it has none.
pub(crate) fn file(plot: &Plot) -> (String, String) {
    let mut table = String::from("series,origin,x,y,low,high\n");
    for series in &plot.series {
        let (name, origin) = (quoted(&series.name), series.origin.name());
        for point in &series.points {
            let _ = write!(table, "{name},{origin},{},{}", point.x, point.y);
            let _ = match point.interval {
                Some([low, high]) => writeln!(table, ",{low},{high}"),
                None => writeln!(table, ",,"),
            };
        }
    }
    (format!("{}.csv", plot.id), table)
}

/// As RFC 4180 has it: in quotes, which are doubled inside.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
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
