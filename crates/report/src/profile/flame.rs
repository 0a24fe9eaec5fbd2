//! Flame graphs: a box for each chain of sites, as wide as its time, under the chain that it goes
//! on from.

use std::fmt::Write as _;

use filch_experiments::profile::FlameNode;
use filch_profile::Duration;

use super::tables::colour;
use super::{Shown, per_cent, place, time};
use crate::escape::markup;

/// Boxes that are narrower than this share of the whole are left out.
const NARROWEST: f64 = 0.0005;

/// What the width of a box is.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Work,
    Span,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Span => "span",
        }
    }

    fn of(self, node: &FlameNode) -> Duration {
        match self {
            Self::Work => node.work,
            Self::Span => node.span,
        }
    }

    fn own(self, node: &FlameNode) -> Duration {
        match self {
            Self::Work => node.own_work,
            Self::Span => node.own_span,
        }
    }
}

/// A box: where it begins and how wide it is, as shares of the whole, and how deep it lies.
struct Place {
    left: f64,
    width: f64,
    depth: usize,
}

pub(super) fn write(page: &mut String, shown: &Shown<'_>, measure: Measure) {
    let serial = shown.analysis.critical_path.serial;
    let first = shown.flame.below(None);
    let parallel: Duration = first.map(|node| measure.of(&shown.flame.nodes[node])).sum();
    let whole = (serial + parallel).picos().max(1) as f64;
    let places = places(shown, measure, whole);
    let rows = 1 + places
        .iter()
        .flatten()
        .map(|place| place.depth)
        .max()
        .unwrap_or(0);
    let name = measure.name();
    let _ = writeln!(
        page,
        "<figure class=\"wide\" id=\"flame-{name}\"><figcaption>By {name}: {}</figcaption>\n\
         <div class=\"flame\" role=\"tree\" aria-label=\"flame graph by {name}\" \
         style=\"--rows:{}\">",
        markup(&time(serial + parallel)),
        rows
    );
    let all = Place {
        left: 0.0,
        width: 1.0,
        depth: 0,
    };
    write_box(page, &all, "ink", "the program", &time(serial + parallel));
    if serial.picos() as f64 / whole >= NARROWEST {
        let place = Place {
            left: 0.0,
            width: serial.picos() as f64 / whole,
            depth: 1,
        };
        let told = format!("{}, {}", time(serial), per_cent(place.width));
        write_box(
            page,
            &place,
            "ink",
            "serial: outside of all sections",
            &told,
        );
    }
    let mut left_out = 0;
    for (node, at) in shown.flame.nodes.iter().zip(&places) {
        let Some(at) = at else {
            left_out += usize::from(measure.of(node) > Duration::ZERO);
            continue;
        };
        let told = format!(
            "{}, {}; itself {}",
            time(measure.of(node)),
            per_cent(at.width),
            time(measure.own(node))
        );
        let name = place(shown.profile, node.site);
        write_box(page, at, &colour(node.site), &name, &told);
    }
    page.push_str("</div>\n<p class=\"source told\" aria-live=\"polite\"></p>\n");
    if left_out > 0 {
        let _ = writeln!(
            page,
            "<p class=\"source\">Chains of sites below {} that are not drawn: {left_out}.</p>",
            per_cent(NARROWEST)
        );
    }
    page.push_str("</figure>\n");
}

/// Where each chain lies. The serial time is at the left.
fn places(shown: &Shown<'_>, measure: Measure, whole: f64) -> Vec<Option<Place>> {
    let nodes = &shown.flame.nodes;
    let serial = shown.analysis.critical_path.serial.picos() as f64 / whole;
    let mut places: Vec<Option<Place>> = Vec::with_capacity(nodes.len());
    // Where the next chain under each goes; the last is for sections.
    let mut next: Vec<f64> = vec![serial; nodes.len() + 1];
    for (number, node) in nodes.iter().enumerate() {
        let above = node.above.unwrap_or(nodes.len());
        let width = measure.of(node).picos() as f64 / whole;
        let left = next[above];
        next[above] += width;
        next[number] = left;
        let depth = match node.above.map(|above| &places[above]) {
            None => Some(1),
            Some(Some(above)) => Some(above.depth + 1),
            Some(None) => None,
        };
        let place = depth.map(|depth| Place { left, width, depth });
        places.push(place.filter(|place| place.width >= NARROWEST));
    }
    places
}

fn write_box(page: &mut String, place: &Place, class: &str, name: &str, told: &str) {
    let Place { left, width, depth } = place;
    let name = markup(name);
    let _ = writeln!(
        page,
        "<button type=\"button\" role=\"treeitem\" class=\"{class}\" tabindex=\"{}\" \
         data-left=\"{left:.6}\" data-width=\"{width:.6}\" data-depth=\"{depth}\" \
         style=\"left:{:.4}%;width:{:.4}%;--depth:{depth}\" title=\"{name}: {told}\">{name}</button>",
        if *depth == 0 { 0 } else { -1 },
        100.0 * left,
        100.0 * width,
        told = markup(told)
    );
}
