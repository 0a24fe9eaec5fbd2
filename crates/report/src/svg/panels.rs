//! Many curves become several small pictures with the same axes.

use crate::values::{Origin, Plot, Series};

/// More curves than this do not fit into one picture.
const MOST: usize = 5;

/// A picture of its own.
#[derive(Debug, PartialEq)]
pub(crate) struct Panel<'a> {
    /// What its curves have in common; empty if there is but one panel.
    pub(crate) title: &'a str,
    /// The curves, each with what tells it from the others here.
    pub(crate) curves: Vec<(&'a str, &'a Series)>,
}

/// Divides the curves by what stands before the first comma of their names, or by what stands after
/// it: so that no theorem is in a panel without a run to be compared with.
pub(crate) fn divide(plot: &Plot) -> Vec<Panel<'_>> {
    let curves = || plot.series.iter().filter(|series| plot.can_show(series));
    let heads = curves().map(|series| Some((series, series.name.split_once(", ")?)));
    let heads: Option<Vec<_>> = heads.collect();
    let ways = heads.filter(|all| all.len() > MOST).map(|all| {
        let by_head = all
            .iter()
            .map(|&(series, (head, tail))| (head, tail, series));
        let by_tail = all
            .iter()
            .map(|&(series, (head, tail))| (tail, head, series));
        [group(by_head), group(by_tail)]
    });
    let good = ways.into_iter().flatten().find(|panels| {
        panels.len() > 1 && panels.len() < curves().count() && panels.iter().all(Panel::compares)
    });
    good.unwrap_or_else(|| {
        vec![Panel {
            title: "",
            curves: curves().map(|series| (&*series.name, series)).collect(),
        }]
    })
}

fn group<'a>(all: impl Iterator<Item = (&'a str, &'a str, &'a Series)>) -> Vec<Panel<'a>> {
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for (title, label, series) in all {
        let curve = (label, series);
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.curves.push(curve),
            None => panels.push(Panel {
                title,
                curves: vec![curve],
            }),
        }
    }
    panels
}

impl Panel<'_> {
    fn compares(&self) -> bool {
        let mut origins = self.curves.iter().map(|(_, series)| series.origin);
        origins.any(|origin| origin != Origin::Theory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Axis, Point};

    fn plot(names: &[(&str, Origin)]) -> Plot {
        let axis = Axis {
            label: "",
            logarithmic: false,
        };
        let point = Point {
            x: 1.0,
            y: 1.0,
            interval: None,
        };
        let series = names.iter().map(|&(name, origin)| Series {
            name: name.to_owned(),
            origin,
            points: vec![point],
        });
        Plot {
            id: "x".into(),
            title: "x".into(),
            x: axis.clone(),
            y: axis,
            series: series.collect(),
            command: String::new(),
        }
    }

    fn titles(names: &[(&str, Origin)]) -> Vec<String> {
        let plot = plot(names);
        let panels = divide(&plot);
        panels.iter().map(|panel| panel.title.to_owned()).collect()
    }

    #[test]
    fn few_curves_stay_together() {
        use Origin::Simulated as S;
        assert_eq!(titles(&[("a, 1", S), ("a, 2", S), ("b, 1", S)]), [""]);
    }

    #[test]
    fn a_panel_for_each_computation() {
        let mut names = Vec::new();
        for name in [
            "fib, stealing",
            "fib, greedy",
            "tree, stealing",
            "tree, greedy",
        ] {
            names.push((name, Origin::Simulated));
        }
        for name in ["fib, S1·P", "fib, T1/P", "tree, S1·P", "tree, T1/P"] {
            names.push((name, Origin::Theory));
        }
        assert_eq!(titles(&names), ["fib", "tree"]);
        // By what comes after the comma, where the theorem would be alone otherwise.
        let names: Vec<_> = ["k = 1", "k = 4, x", "k = 8", "k = 9"]
            .into_iter()
            .flat_map(|k| {
                [
                    (format!("found, {k}"), Origin::Simulated),
                    (format!("line, {k}"), Origin::Theory),
                ]
            })
            .collect();
        let names: Vec<_> = names
            .iter()
            .map(|(name, origin)| (&**name, *origin))
            .collect();
        assert_eq!(titles(&names), ["k = 1", "k = 4, x", "k = 8", "k = 9"]);
    }
}
