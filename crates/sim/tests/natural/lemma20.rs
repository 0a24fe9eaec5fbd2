//! Lemma 20 and the tail of Theorem 12 on small chains, solved exactly.
//!
//! Φ_f is far beyond the loads of any run, so the tail of Theorem 12 as it stands is never touched.
//! Here the lemma that gives the tail is applied to the same chain with the least level that its
//! hypothesis allows. Then it speaks of loads that occur, for every m.

use filch_theory::natural::lemma20::DriftTail;

use crate::process;
use crate::stationary::solved;

#[test]
fn tails_are_below_the_bound_for_every_m() {
    let cases = [
        (2, 0.3, "half", "one", 60),
        (2, 0.6, "half", "one", 60),
        (2, 0.5, "one", "one", 60),
        (2, 0.6, "half", "roam", 60),
        (2, 0.6, "half", "uniform", 60),
        (3, 0.4, "half", "one", 24),
        (3, 0.3, "log2", "one", 24),
        (3, 0.4, "half", "longest", 24),
    ];
    for (n, lambda, steal, placement, cut) in cases {
        let process = process(n, lambda, steal, placement);
        let chain = solved(&process, cut);
        // The expected change of Φ in a step from each state, without those at the cut.
        let load = |state: &[u64]| state.iter().sum::<u64>() as f64;
        let changes: Vec<(f64, f64, f64)> = (0..chain.states.len())
            .filter(|&at| {
                chain.states[at]
                    .iter()
                    .all(|&queue| queue + (n as u64) < cut)
            })
            .map(|at| {
                let from = load(&chain.states[at]);
                let row = chain.rows[at].iter();
                let moves = row.map(|&(to, chance)| (load(&chain.states[to]) - from, chance));
                let (mut mean, mut rise) = (0.0, 0.0);
                for (change, chance) in moves {
                    mean += change * chance;
                    rise += if change > 0.0 { chance } else { 0.0 };
                }
                (from, mean, rise)
            })
            .collect();
        // ξ: an eighth of the drift while no processor is idle. From a state in which one processor
        // has all jobs, the others may ask in vain, so a step promises less than that drift.
        let fall = n as f64 * (1.0 - lambda) / 8.0;
        let level = changes
            .iter()
            .filter(|(_, mean, _)| *mean > -fall)
            .map(|(from, ..)| *from)
            .fold(0.0, f64::max);
        let lemma = DriftTail {
            level,
            fall,
            most: n as f64,
            rise: changes.iter().map(|change| change.2).fold(0.0, f64::max),
        };
        let above = |bound: f64| -> f64 {
            let states = chain.states.iter().zip(&chain.law);
            let beyond = states.filter(|(state, _)| load(state) > bound);
            beyond.map(|(_, probability)| probability).sum()
        };
        let mut telling = 0;
        for m in 0..20 {
            let (load, bound) = lemma.tail(m);
            let tail = above(load);
            assert!(
                tail <= bound + 1e-9,
                "{process:?} m = {m}: {tail} > {bound}"
            );
            telling += usize::from(m > 0 && tail > 1e-8);
        }
        assert!(
            telling > 0,
            "{process:?}: {lemma:?} says nothing about loads that occur"
        );
        let states = chain.states.iter().zip(&chain.law);
        let mean: f64 = states
            .map(|(state, probability)| load(state) * probability)
            .sum();
        assert!(
            mean <= lemma.mean(),
            "{process:?}: {mean} > {}",
            lemma.mean()
        );
    }
}
