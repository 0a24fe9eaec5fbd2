//! The claims about Theorems 10, 12 and 22.

use filch_stats::stability::Verdict;
use filch_workload::Placement;

use crate::chapters::significance::allowed_errors;
use crate::natural::{Process, Settled};
use crate::values::{Claim, Outcome};

/// The error rate of a verdict: up to three sets of runs, at 1 % each.
const ERROR: f64 = 0.03;

fn count(settled: &[Settled], verdict: Verdict) -> usize {
    let given = |settled: &&Settled| settled.conclusion.verdict == verdict;
    settled.iter().filter(given).count()
}

pub(super) fn theorem10(settled: &[Settled]) -> Claim {
    let unstable = count(settled, Verdict::Unstable);
    let allowed = allowed_errors(settled.len() as u64, ERROR);
    Claim {
        claim: "with half and fraction:3 the process is stable for every λ < 1 and every \
                placement of the generators"
            .to_owned(),
        stated: "BFG03, Theorem 10; BFG01, Theorem 1",
        checked: format!(
            "{} processes on up to thousands of processors",
            settled.len()
        ),
        found: format!(
            "{} stable, {} undecided, {unstable} unstable (at most {allowed} allowed)",
            count(settled, Verdict::Stable),
            count(settled, Verdict::Undecided)
        ),
        measured: Some(unstable as f64),
        bound: Some(allowed as f64),
        outcome: Outcome::of(unstable as u64 <= allowed && count(settled, Verdict::Stable) > 0),
    }
}

pub(super) fn mean(processes: &[Process], settled: &[Settled]) -> Claim {
    let ratios: Vec<f64> = processes
        .iter()
        .zip(settled)
        .filter_map(|(process, settled)| {
            let bound = process.bounds()?.mean.log10()?;
            Some(settled.mean()?.max(1.0).log10() - bound)
        })
        .collect();
    let worst = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Claim {
        claim:
            "the mean load is at most Φ_f + 2nT/ε + nT (BFG01 has the larger bound Φ_f + 2n²T/ε + \
             nT)"
            .to_owned(),
        stated: "BFG03, Theorem 12; BFG01, Theorem 2",
        checked: format!("{} stable processes", ratios.len()),
        found: format!("log₁₀ of mean over bound is at most {worst:.1}"),
        measured: Some(worst),
        bound: Some(0.0),
        outcome: Outcome::of(worst < 0.0),
    }
}

pub(super) fn tail(processes: &[Process], settled: &[Settled]) -> Claim {
    let mut beyond = 0;
    let mut tried = 0;
    for (process, settled) in processes.iter().zip(settled) {
        let (Some(bounds), Some(_)) = (process.bounds(), settled.mean()) else {
            continue;
        };
        tried += 1;
        let largest = settled.conclusion.loads.quantile(1.0).unwrap_or(0);
        let least = bounds.tail(0).load;
        beyond +=
            usize::from((largest as f64).max(1.0).log10() > least.log10().unwrap_or(f64::INFINITY));
    }
    Claim {
        claim: "the load exceeds Φ_f + 2nTm + nT with probability at most (1 + ε)^−(m + 1)"
            .to_owned(),
        stated: "BFG03, Theorem 12; BFG01, Theorem 2",
        checked: format!("{tried} stable processes, m = 0, where the probability may be near 1"),
        found: format!("{beyond} of them ever exceeded it"),
        measured: Some(beyond as f64),
        bound: Some(0.0),
        outcome: Outcome::of(beyond == 0 && tried > 0),
    }
}

pub(super) fn theorem22_holds(processes: &[Process], settled: &[Settled]) -> Claim {
    let stable = count(settled, Verdict::Stable);
    let unstable = count(settled, Verdict::Unstable);
    let allowed = allowed_errors(settled.len() as u64, ERROR);
    let closest = processes.iter().map(|process| process.processors).max();
    Claim {
        claim: "with k hosts, stealing at most j jobs at once is unstable if k(j + 1) < λn"
            .to_owned(),
        stated: "BFG03, Theorem 22; BFG01, Theorem 9",
        checked: format!(
            "the largest such j, {} processes on up to {} processors",
            settled.len(),
            closest.unwrap_or(0)
        ),
        found: format!(
            "{unstable} unstable, {} undecided, {stable} stable (at most {allowed} allowed)",
            count(settled, Verdict::Undecided)
        ),
        measured: Some(stable as f64),
        bound: Some(allowed as f64),
        outcome: Outcome::of(stable as u64 <= allowed && unstable > 0),
    }
}

pub(super) fn nothing_left(processes: &[Process], settled: &[Settled]) -> Claim {
    let each = processes
        .iter()
        .zip(settled)
        .filter(|(process, _)| process.placement == Placement::Each);
    let left: Vec<u64> = each
        .map(|(_, settled)| settled.conclusion.longest)
        .collect();
    let most = left.iter().copied().max().unwrap_or(u64::MAX);
    Claim {
        claim: "with one generator on each processor the system is stable even without stealing: \
                every job is processed in the step in which it is generated"
            .to_owned(),
        stated: "BFG03, section 5",
        checked: format!("{} processes with placement each", left.len()),
        found: format!("the longest queue after any step has {most} jobs"),
        measured: Some(most as f64),
        bound: Some(0.0),
        outcome: Outcome::of(most == 0),
    }
}
