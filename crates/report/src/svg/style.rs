//! How each curve of a plot looks.

use super::colour;
use super::panels::Panel;
use crate::values::Origin;

/// Colour, marker and dashes of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// One of the colours, or none: the colour of text.
    pub(crate) colour: Option<usize>,
    /// Curves of one colour are told apart by this.
    pub(crate) variant: usize,
}

/// The labels of a plot with their styles, in the order of the legend.
#[derive(Debug, Default)]
pub(crate) struct Styles(Vec<(String, Origin, Style)>);

impl Styles {
    /// For all curves of all panels of a plot.
    pub(crate) fn for_all(panels: &[Panel<'_>]) -> Self {
        let curves = panels.iter().flat_map(|panel| &panel.curves);
        Self::of(curves.map(|(label, series)| (*label, series.origin)))
    }

    /// Colours by name; what has no name that we know takes a colour that is free, and a theorem
    /// the colour of text.
    fn of<'a>(labels: impl Iterator<Item = (&'a str, Origin)>) -> Self {
        let mut distinct: Vec<(&str, Origin)> = Vec::new();
        for label in labels {
            if !distinct.contains(&label) {
                distinct.push(label);
            }
        }
        let mut taken: Vec<usize> = distinct
            .iter()
            .filter_map(|(label, _)| colour::of(label))
            .collect();
        let mut styles = Self::default();
        for (label, origin) in distinct {
            let colour = colour::of(label).or_else(|| {
                (origin != Origin::Theory).then(|| {
                    let free = (0..colour::COLOURS).find(|colour| !taken.contains(colour));
                    let colour = free.unwrap_or(taken.len() % colour::COLOURS);
                    taken.push(colour);
                    colour
                })
            });
            let same = |(_, other, style): &&(String, Origin, Style)| {
                style.colour == colour && (*other == Origin::Theory) == (origin == Origin::Theory)
            };
            let variant = styles.0.iter().filter(same).count();
            let style = Style { colour, variant };
            styles.0.push((label.to_owned(), origin, style));
        }
        styles
    }

    /// The style of a curve of this plot.
    pub(crate) fn get(&self, label: &str, origin: Origin) -> Style {
        let mut all = self.0.iter();
        let found = all.find(|(other, from, _)| other == label && *from == origin);
        found.map_or(
            Style {
                colour: None,
                variant: 0,
            },
            |(_, _, style)| *style,
        )
    }

    /// All of them, for a legend.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Origin, Style)> {
        self.0
            .iter()
            .map(|(label, origin, style)| (&**label, *origin, *style))
    }
}

impl Style {
    /// The classes that the style sheet knows.
    pub(crate) fn classes(self, origin: Origin) -> String {
        let colour = match self.colour {
            Some(colour) => format!("c{colour}"),
            None => "ink".to_owned(),
        };
        format!("{colour} v{} {}", self.variant % 4, origin.name())
    }

    /// Which of the markers; they differ between colours and between curves of one colour.
    pub(crate) fn marker(self) -> usize {
        self.colour.unwrap_or(0) + 2 * self.variant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_first_then_what_is_free() {
        let labels = [
            ("PI", Origin::Simulated),
            ("λ = 0.5", Origin::Simulated),
            ("PI, Theorem 3.2", Origin::Theory),
            ("S1·P", Origin::Theory),
            ("PI, again", Origin::Simulated),
            ("PI", Origin::Simulated),
        ];
        let styles = Styles::of(labels.into_iter());
        let get = |at: usize| styles.get(labels[at].0, labels[at].1);
        assert_eq!(styles.iter().count(), 5);
        assert_eq!(get(0).classes(Origin::Simulated), "c0 v0 simulated");
        assert_eq!(get(1).colour, Some(1), "the first that no name has");
        assert_eq!(get(2).classes(Origin::Theory), "c0 v0 theory");
        assert_eq!(get(3).classes(Origin::Theory), "ink v0 theory");
        assert_eq!((get(4).colour, get(4).variant), (Some(0), 1));
    }
}
