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

/// What the verdicts on processes that should be stable come to. More unstable ones than chance
/// explains refute the claim, and one that is undecided leaves it undecided.
fn all_stable(settled: &[Settled]) -> Outcome {
    let unstable = count(settled, Verdict::Unstable) as u64;
    if unstable > allowed_errors(settled.len() as u64, ERROR) {
        Outcome::DoesNotHold
    } else if settled.is_empty() || count(settled, Verdict::Undecided) > 0 {
        Outcome::Undecided
    } else {
        Outcome::Holds
    }
}

/// A claim that these processes are stable.
pub(super) fn stable(
    claim: &str,
    stated: &'static str,
    processes: &[Process],
    settled: &[Settled],
    note: &str,
) -> Claim {
    let unstable = count(settled, Verdict::Unstable);
    let allowed = allowed_errors(settled.len() as u64, ERROR);
    let largest = processes.iter().map(|process| process.processors).max();
    Claim {
        claim: claim.to_owned(),
        stated,
        checked: format!(
            "{} processes on up to {} processors{note}",
            settled.len(),
            largest.unwrap_or(0)
        ),
        found: format!(
            "{} stable, {} undecided, {unstable} unstable (at most {allowed} allowed)",
            count(settled, Verdict::Stable),
            count(settled, Verdict::Undecided)
        ),
        measured: Some(unstable as f64),
        bound: Some(allowed as f64),
        outcome: all_stable(settled),
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
        outcome: Outcome::if_decided((!ratios.is_empty()).then_some(worst < 0.0)),
    }
}

/// The m for which the tail of Theorem 12 is checked.
const TAILS: [u64; 5] = [0, 1, 4, 16, 64];

pub(super) fn tail(processes: &[Process], settled: &[Settled]) -> Claim {
    let (mut beyond, mut tried) = (0, 0);
    for (process, settled) in processes.iter().zip(settled) {
        let (Some(bounds), Some(_)) = (process.bounds(), settled.mean()) else {
            continue;
        };
        tried += 1;
        let largest = settled.conclusion.loads.quantile(1.0).unwrap_or(0);
        for m in TAILS {
            let tail = bounds.tail(m);
            let least = tail.load.log10().unwrap_or(f64::INFINITY);
            beyond += usize::from((largest as f64).max(1.0).log10() > least);
        }
    }
    Claim {
        claim: "the load exceeds Φ_f + 2nTm + nT with probability at most (1 + ε)^−(m + 1)"
            .to_owned(),
        stated: "BFG03, Theorem 12; BFG01, Theorem 2",
        checked: format!(
            "{tried} stable processes, m = 0, 1, 4, 16 and 64. Φ_f is far beyond the loads of any \
             run; Lemma 20, which gives the tail, is tested on small chains solved exactly, where \
             it speaks of loads that occur"
        ),
        found: format!("{beyond} of these loads were exceeded in any step"),
        measured: Some(beyond as f64),
        bound: Some(0.0),
        outcome: Outcome::if_decided((tried > 0).then_some(beyond == 0)),
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
        outcome: if stable as u64 > allowed {
            Outcome::DoesNotHold
        } else if unstable + stable < settled.len() || settled.is_empty() {
            Outcome::Undecided
        } else {
            Outcome::Holds
        },
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
