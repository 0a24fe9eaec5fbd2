//! The bounds on a process.

use filch_policy::steal::{Shape, StealFunction};
use filch_theory::natural::lemma14::{self, Proof};
use filch_theory::natural::theorem12::LoadBounds;
use filch_theory::natural::theorem22::Theorem22;
use filch_theory::natural::{
    Constants, Large, lemma2, lemma5, lemma13, observation4, phi, theorem10,
};
use serde::Serialize;

use super::large_number::LargeNumber;
use super::process::Process;

/// Tail probabilities for which a load is given.
const TAILS: [f64; 3] = [0.1, 0.01, 0.001];

/// What BFG01 and BFG03 say of a process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessBounds {
    /// The hypotheses of Theorem 10, met or not.
    pub theorem10: Vec<CheckedHypothesis>,
    /// Theorem 22, where it says something.
    pub theorem22: Option<Theorem22Check>,
    /// Definitions 1 and 11, and what follows from them; none if n is too small for them.
    pub constants: Option<DefinedConstants>,
    /// The bounds of Theorem 12 and what they are made of; none if Φ_f is infinite.
    pub load: Option<PromisedLoad>,
}

/// A hypothesis of a theorem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedHypothesis {
    /// What it says.
    pub hypothesis: &'static str,
    /// Whether it is met.
    pub holds: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether hosts with full queues are relieved of fewer jobs in a step than arrive (Theorem 22).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Theorem22Check {
    /// k.
    pub hosts: u64,
    /// j(n).
    pub most_jobs_at_once: u64,
    /// k·(j(n) + 1).
    pub relieved: f64,
    /// λn.
    pub generated: f64,
    /// Whether the theorem says that the process is unstable.
    pub unstable: bool,
}

/// The constants of the proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct DefinedConstants {
    /// c, which the user chooses.
    pub c: f64,
    /// α.
    pub alpha: f64,
    /// z.
    pub z: u64,
    /// ν.
    pub nu: f64,
    /// T.
    #[serde(rename = "T")]
    pub steps: u64,
    /// ε.
    pub epsilon: f64,
    /// The decimal logarithm of Lemma 13's n^−α.
    pub lemma13_log10: f64,
    /// Lemma 14's n⁻².
    pub lemma14: f64,
    /// The least c that the proof of Lemma 14 covers; none if it covers no c for this n and λ.
    pub lemma14_least_c: Option<f64>,
}

/// Bounds on the system load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromisedLoad {
    /// Φ_f: by search where that is within reach, otherwise by Lemma 2's smallest sequence, which
    /// gives the same.
    pub phi_f: LargeNumber,
    /// `search` or `Lemma 2`.
    pub phi_f_by: &'static str,
    /// Lemma 2's bound on Φ_f, by its smallest sequence.
    pub phi_f_lemma2: LargeNumber,
    /// Lemma 5's bound on Φ_f, for a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phi_f_lemma5: Option<LargeNumber>,
    /// Observation 4: capped at so many jobs, f is as good.
    pub cap: LargeNumber,
    /// BFG03, Theorem 12: the bound on the mean system load.
    pub mean: LargeNumber,
    /// BFG01, Theorem 2.
    pub mean_2001: LargeNumber,
    /// Theorem 12 and its counterpart in BFG01, for three probabilities.
    pub tails: Vec<PromisedTail>,
}

/// How rarely the load is larger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromisedTail {
    /// m.
    pub m: u64,
    /// The load.
    pub load: LargeNumber,
    /// The probability of a larger one is at most this.
    pub probability: f64,
    /// The same in BFG01.
    pub probability_2001: f64,
}

impl ProcessBounds {
    /// What the theorems say of `process`.
    pub fn of(process: &Process) -> Self {
        let Process {
            lambda,
            steal,
            placement,
            c,
            ..
        } = *process;
        let (n, lambda) = (process.processors as u64, lambda.get());
        let hypotheses = theorem10::hypotheses(n, lambda, c, &steal);
        let theorem22 = Theorem22::new(n, lambda, placement, steal);
        let constants = Constants::new(n, lambda, c).ok();
        Self {
            theorem10: hypotheses
                .into_iter()
                .map(|one| CheckedHypothesis {
                    hypothesis: one.name,
                    holds: one.fails.is_none(),
                    reason: one.fails,
                })
                .collect(),
            theorem22: theorem22.map(|theorem| Theorem22Check {
                hosts: theorem.hosts,
                most_jobs_at_once: theorem.most,
                relieved: theorem.relieved,
                generated: theorem.generated,
                unstable: theorem.is_unstable(),
            }),
            load: constants.and_then(|constants| PromisedLoad::of(&constants, steal)),
            constants: constants.map(|constants| DefinedConstants::of(&constants)),
        }
    }

    /// Whether Theorem 22 says that the process is unstable.
    pub fn is_unstable(&self) -> bool {
        self.theorem22
            .as_ref()
            .is_some_and(|theorem| theorem.unstable)
    }
}

impl DefinedConstants {
    fn of(constants: &Constants) -> Self {
        Self {
            c: constants.c,
            alpha: constants.alpha,
            z: constants.splits,
            nu: constants.nu,
            steps: constants.steps,
            epsilon: constants.epsilon,
            lemma13_log10: lemma13::log10_bound(constants),
            lemma14: Proof::new(constants).bound,
            lemma14_least_c: lemma14::least_c(constants.processors, constants.lambda),
        }
    }
}

impl PromisedLoad {
    fn of(constants: &Constants, f: StealFunction) -> Option<Self> {
        let bound = lemma2::bound(constants, &f).ok()?;
        let found = phi::search(constants, &f);
        let phi_f_by = if found.is_some() { "search" } else { "Lemma 2" };
        let phi_f_lemma2 = LargeNumber::from(&bound);
        let phi_f = found.map_or(bound, Large::from);
        let bounds = LoadBounds::new(constants, &phi_f);
        let fraction = match f.shape() {
            Shape::Half => lemma5::bound(constants, 2),
            Shape::Fraction(r) => lemma5::bound(constants, r),
            _ => None,
        };
        let tails = TAILS.map(|probability| {
            let m = bounds.least_m(probability);
            let tail = bounds.tail(m);
            PromisedTail {
                m,
                load: LargeNumber::from(&tail.load),
                probability: tail.probability,
                probability_2001: tail.probability_2001,
            }
        });
        Some(Self {
            phi_f: LargeNumber::from(&phi_f),
            phi_f_by,
            phi_f_lemma2,
            phi_f_lemma5: fraction
                .filter(|_| f.cap().is_none())
                .as_ref()
                .map(LargeNumber::from),
            cap: LargeNumber::from(&observation4::cap(constants, &f).ok()?),
            mean: LargeNumber::from(&bounds.mean),
            mean_2001: LargeNumber::from(&bounds.mean_2001),
            tails: tails.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four processors, all generators on one: `half` has a finite Φ_f, found by search, and a cap
    /// of one job cannot keep up with 3.2 new ones a step.
    #[test]
    fn a_program_gets_the_bounds() {
        let of = |steal: &str| {
            let (lambda, place) = ("0.8".parse().unwrap(), "one".parse().unwrap());
            ProcessBounds::of(&Process::new(4, lambda, steal.parse().unwrap(), place).unwrap())
        };
        let half = of("half");
        let load = half.load.as_ref().unwrap();
        let mean = load.mean.log10.unwrap();
        assert!((22.0..23.0).contains(&mean), "{mean}");
        assert_eq!(load.phi_f_by, "search");
        assert!(!half.is_unstable());
        assert!(of("one").is_unstable());
    }
}
