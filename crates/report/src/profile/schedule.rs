//! The schedule of a small run: a row for each worker, a box for each time in which it ran a job
//! that came to it from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use filch_profile::{Duration, Stretch};

use super::tables::colour;
use super::{Shown, place, time};
use crate::escape::markup;

/// Runs with more stretches are for the viewers of others.
const MOST: usize = 4000;

/// Whether the run is small enough to be shown whole.
pub(super) fn is_small(shown: &Shown<'_>) -> bool {
    let (kept, all) = shown.profile.recording.stretches_kept;
    let count = shown.profile.stretches.len();
    kept == all && (1..=MOST).contains(&count)
}

pub(super) fn write(page: &mut String, shown: &Shown<'_>) {
    let stretches = &shown.profile.stretches;
    let first = stretches.iter().map(|stretch| stretch.began).min();
    let first = first.unwrap_or_default();
    let last = stretches.iter().map(|stretch| stretch.ended).max();
    let whole = (last.unwrap_or_default() - first).picos().max(1) as f64;
    let mut workers: BTreeMap<u32, Vec<&Stretch>> = BTreeMap::new();
    for stretch in stretches {
        workers.entry(stretch.worker).or_default().push(stretch);
    }
    page.push_str("<figure class=\"wide\"><div class=\"schedule\">\n");
    for (worker, stretches) in &mut workers {
        stretches.sort_by_key(|stretch| (stretch.began, std::cmp::Reverse(stretch.ended)));
        let lanes = lanes(stretches);
        let rows = 1 + lanes.iter().max().copied().unwrap_or(0);
        let _ = writeln!(
            page,
            "<div class=\"worker\"><b>{worker}</b><div style=\"--rows:{rows}\">"
        );
        for (stretch, lane) in stretches.iter().zip(lanes) {
            let share = |time: Duration| 100.0 * time.picos() as f64 / whole;
            let _ = writeln!(
                page,
                "<i class=\"{}\" style=\"left:{:.4}%;width:{:.4}%;--depth:{lane}\" \
                 title=\"{}\"></i>",
                colour(stretch.site),
                share(stretch.began - first),
                share(stretch.ended - stretch.began),
                markup(&told(shown, stretch, first))
            );
        }
        page.push_str("</div></div>\n");
    }
    let _ = writeln!(
        page,
        "</div><p class=\"source\">A row for each worker, from the first job to the last: {}. A \
         box below another is a job that a worker ran while it waited.</p></figure>",
        markup(&time(Duration::from_picos(whole as u64)))
    );
}

fn told(shown: &Shown<'_>, stretch: &Stretch, first: Duration) -> String {
    let mut told = format!(
        "{}: from {} on, for {}",
        place(shown.profile, stretch.site),
        time(stretch.began - first),
        time(stretch.ended - stretch.began)
    );
    if stretch.waited > Duration::ZERO {
        let _ = write!(told, ", of which it waited {}", time(stretch.waited));
    }
    let origin = stretch.forked_in.and_then(|origin| {
        let stretches = &shown.profile.stretches;
        stretches.get(origin.0 as usize)
    });
    if let Some(origin) = origin.filter(|origin| origin.worker != stretch.worker) {
        let _ = write!(told, "; stolen from worker {}", origin.worker);
    }
    told
}

/// How many of the stretches of one worker each lies within. They come in the order in which they
/// begin.
fn lanes(stretches: &[&Stretch]) -> Vec<usize> {
    let mut open: Vec<Duration> = Vec::new();
    stretches
        .iter()
        .map(|stretch| {
            while open.last().is_some_and(|&ended| ended <= stretch.began) {
                open.pop();
            }
            open.push(stretch.ended);
            open.len() - 1
        })
        .collect()
}
