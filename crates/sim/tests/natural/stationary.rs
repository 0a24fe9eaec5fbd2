//! The stationary law of the chain on two or three processors, truncated.

use std::collections::HashMap;

use crate::figure::{Means, Process, State};
use filch_workload::Placement;

/// A state and, for `rotate`, the processor that hosts the generators.
type Phased = (usize, State);

/// A chain, and its stationary law.
pub(crate) struct Solved {
    pub(crate) states: Vec<State>,
    /// The states that each leads to, with probabilities.
    pub(crate) rows: Vec<Vec<(usize, f64)>>,
    pub(crate) law: Vec<f64>,
}

/// The chain of `process`, which does not rotate, with queues truncated at `longest`.
pub(crate) fn solved(process: &Process, longest: u64) -> Solved {
    assert!(
        process.placement != Placement::Rotate,
        "no chain on the queues alone"
    );
    let (states, rows, law) = chain(process, longest);
    Solved {
        states: states.into_iter().map(|(_, state)| state).collect(),
        rows: rows.into_iter().map(|(row, _)| row).collect(),
        law,
    }
}

/// The stationary means of `process`, with queues truncated at `longest`.
pub(crate) fn means(process: &Process, longest: u64) -> Means {
    let (_, rows, pi) = chain(process, longest);
    let mut means = Means::default();
    for ((_, row), probability) in rows.iter().zip(&pi) {
        means.load += probability * row.load;
        means.longest += probability * row.longest;
        means.requests += probability * row.requests;
        means.steals += probability * row.steals;
        means.moved += probability * row.moved;
    }
    means
}

/// For each state: the states that it leads to, and the means of a step from it.
type Rows = Vec<(Vec<(usize, f64)>, Means)>;

/// The states, the steps from each, and the stationary law.
///
/// States are explored from the empty one; a step that would make a queue longer than `longest`
/// leaves it at that. The equations π = πP are solved by iteration until π changes by less than
/// 10⁻¹³ in sum. The error of truncating is checked: the truncated states have a total probability
/// below 10⁻⁹.
fn chain(process: &Process, longest: u64) -> (Vec<Phased>, Rows, Vec<f64>) {
    let phases = match process.placement {
        Placement::Rotate => process.n,
        _ => 1,
    };
    let mut index: HashMap<Phased, usize> = HashMap::new();
    let mut states: Vec<Phased> = Vec::new();
    let mut rows: Rows = Vec::new();
    let start = (0, vec![0; process.n]);
    index.insert(start.clone(), 0);
    states.push(start);
    while rows.len() < states.len() {
        let (phase, state) = states[rows.len()].clone();
        let law = process.step(phase, &state);
        let mut row = Vec::new();
        // Sorted, because the order in which states are found decides how sums are rounded.
        let mut next: Vec<_> = law.next.into_iter().collect();
        next.sort_by(|a, b| a.0.cmp(&b.0));
        for (mut next, probability) in next {
            next.iter_mut()
                .for_each(|queue| *queue = (*queue).min(longest));
            let next = ((phase + 1) % phases, next);
            let at = *index.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            row.push((at, probability));
        }
        rows.push((row, law.means));
    }
    let pi = solve(&rows, phases);
    let cut = states.iter().zip(&pi);
    let at_the_cut: f64 = cut
        .filter(|((_, state), _)| state.contains(&longest))
        .map(|(_, probability)| probability)
        .sum();
    assert!(at_the_cut < 1e-9, "{process:?}: {at_the_cut:e} at the cut");
    (states, rows, pi)
}

fn solve(rows: &[(Vec<(usize, f64)>, Means)], phases: usize) -> Vec<f64> {
    let mut pi = vec![1.0 / rows.len() as f64; rows.len()];
    loop {
        // A chain that rotates has a period: the mean over a period is what converges.
        let mut mean = vec![0.0; rows.len()];
        let mut now = pi.clone();
        for _ in 0..phases {
            let mut next = vec![0.0; rows.len()];
            for ((row, _), probability) in rows.iter().zip(&now) {
                for &(at, share) in row {
                    next[at] += probability * share;
                }
            }
            for (mean, next) in mean.iter_mut().zip(&next) {
                *mean += next / phases as f64;
            }
            now = next;
        }
        let moved: f64 = pi.iter().zip(&mean).map(|(a, b)| (a - b).abs()).sum();
        pi = mean;
        if moved < 1e-13 {
            return pi;
        }
    }
}
