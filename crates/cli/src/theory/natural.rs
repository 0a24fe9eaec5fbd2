//! `filch theory natural`: BFG03's constants and bounds.

use std::fmt::Write as _;

use filch_experiments::natural::Process;
use filch_policy::steal::{Shape, StealFunction};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use filch_theory::natural::lemma14::{self, Proof};
use filch_theory::natural::theorem12::LoadBounds;
use filch_theory::natural::theorem22::Theorem22;
use filch_theory::natural::{
    Constants, Large, lemma2, lemma5, lemma13, observation4, phi, theorem10,
};
use serde::Serialize;

use super::large::LargeNumber;
use crate::args::TheoryNaturalArgs;
use crate::failure::Failure;
use crate::output;

/// Tail probabilities for which a load is given.
const TAILS: [f64; 3] = [0.1, 0.01, 0.001];

/// What BFG01 and BFG03 say of a process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Promises {
    /// The hypotheses of Theorem 10, met or not.
    pub(crate) theorem10: Vec<CheckedHypothesis>,
    /// Theorem 22, where it says something.
    pub(crate) theorem22: Option<Unstable>,
    /// Definitions 1 and 11, and what follows from them; none if n is too small for them.
    pub(crate) constants: Option<Defined>,
    /// The bounds of Theorem 12 and what they are made of; none if Φ_f is infinite.
    pub(crate) load: Option<PromisedLoad>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CheckedHypothesis {
    pub(crate) hypothesis: &'static str,
    pub(crate) holds: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Unstable {
    /// k.
    hosts: u64,
    /// j(n).
    most_jobs_at_once: u64,
    /// k·(j(n) + 1).
    relieved: f64,
    /// λn.
    generated: f64,
    pub(crate) unstable: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) struct Defined {
    c: f64,
    alpha: f64,
    z: u64,
    nu: f64,
    #[serde(rename = "T")]
    steps: u64,
    epsilon: f64,
    /// The decimal logarithm of Lemma 13's n^−α.
    lemma13_log10: f64,
    /// Lemma 14's n⁻².
    lemma14: f64,
    /// The least c that the proof of Lemma 14 covers; none if it covers no c for this n and λ.
    lemma14_least_c: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PromisedLoad {
    /// Φ_f: by search where that is within reach, otherwise by Lemma 2's smallest sequence, which
    /// gives the same.
    phi_f: LargeNumber,
    phi_f_by: &'static str,
    /// Lemma 2's bound on Φ_f, by its smallest sequence.
    phi_f_lemma2: LargeNumber,
    /// Lemma 5's bound on Φ_f, for a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    phi_f_lemma5: Option<LargeNumber>,
    /// Observation 4: capped at so many jobs, f is as good.
    cap: LargeNumber,
    /// BFG03, Theorem 12: the bound on the mean system load.
    pub(crate) mean: LargeNumber,
    /// BFG01, Theorem 2.
    mean_2001: LargeNumber,
    tails: Vec<Tail>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tail {
    m: u64,
    load: LargeNumber,
    probability: f64,
    probability_2001: f64,
}

impl Promises {
    pub(crate) fn of(process: &Process) -> Self {
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
            theorem22: theorem22.map(|theorem| Unstable {
                hosts: theorem.hosts,
                most_jobs_at_once: theorem.most,
                relieved: theorem.relieved,
                generated: theorem.generated,
                unstable: theorem.is_unstable(),
            }),
            load: constants.and_then(|constants| PromisedLoad::of(&constants, steal)),
            constants: constants.map(|constants| Defined::of(&constants)),
        }
    }

    /// Whether Theorem 22 says that the process is unstable.
    pub(crate) fn is_unstable(&self) -> bool {
        self.theorem22
            .as_ref()
            .is_some_and(|theorem| theorem.unstable)
    }
}

impl Defined {
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
            Tail {
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

pub(crate) fn run(options: &TheoryNaturalArgs) -> Result<(), Failure> {
    let process = options.process.process();
    let promises = Promises::of(&process);
    if options.json {
        return output::print_json(&TheoryAnswer {
            processors: process.processors,
            lambda: process.lambda.get(),
            steal: process.steal.to_string(),
            generators: process.placement.to_string(),
            theorem22_unstable: promises.is_unstable(),
            bounds: promises,
        });
    }
    output::print(&promises.text())
}

#[derive(Serialize)]
struct TheoryAnswer {
    processors: usize,
    lambda: f64,
    steal: String,
    generators: String,
    theorem22_unstable: bool,
    bounds: Promises,
}

impl Promises {
    /// As people read it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(defined) = &self.constants {
            let Defined {
                c,
                alpha,
                z,
                nu,
                steps,
                epsilon,
                ..
            } = defined;
            let _ = writeln!(text, "Constants (BFG03, Definitions 1 and 11)");
            write_rows(
                &mut text,
                [
                    ("c", c.to_string()),
                    ("α", decimals(*alpha, 4)),
                    ("z", z.to_string()),
                    ("ν", format!("{nu:.4e}")),
                    ("T", steps.to_string()),
                    ("ε", decimals(*epsilon, 6)),
                    (
                        "Lemma 13: Pr(Ψ ≤ τ′) ≤",
                        format!("10^{:.1}", defined.lemma13_log10),
                    ),
                    ("Lemma 14: Pr(τ′ ≤ T) ≤", format!("{:.3e}", defined.lemma14)),
                ],
            );
        }
        if let Some(load) = &self.load {
            let _ = writeln!(text, "\nSystem load (BFG03, Theorem 12; BFG01, Theorem 2)");
            let row = |name: &str, value: &LargeNumber| (name.to_owned(), value.to_string());
            let mut rows = vec![
                row(&format!("Φ_f (by {})", load.phi_f_by), &load.phi_f),
                row("Φ_f at most, by Lemma 2", &load.phi_f_lemma2),
            ];
            let lemma5 = load.phi_f_lemma5.as_ref();
            rows.extend(lemma5.map(|bound| row("Φ_f at most, by Lemma 5", bound)));
            rows.extend([
                row("cap of Observation 4", &load.cap),
                row("mean at most", &load.mean),
                row("mean at most, in BFG01", &load.mean_2001),
            ]);
            rows.extend(load.tails.iter().map(|tail| {
                let what = format!("Pr ≤ {:.3e} for more than", tail.probability);
                (what, format!("{} (m = {})", tail.load, tail.m))
            }));
            write_rows(&mut text, rows);
        }
        let _ = writeln!(text, "\nStable, if all of this holds (BFG03, Theorem 10)");
        let met = |reason: &Option<String>| {
            let reason = reason.as_ref();
            reason.map_or("yes".to_owned(), |reason| format!("no: {reason}"))
        };
        let hypotheses = self.theorem10.iter();
        write_rows(
            &mut text,
            hypotheses.map(|one| (one.hypothesis, met(&one.reason))),
        );
        let _ = writeln!(text, "\nUnstable, if k·(j(n) + 1) < λn (BFG03, Theorem 22)");
        let _ = match &self.theorem22 {
            Some(theorem) => writeln!(
                text,
                "  {} · ({} + 1) < {}: {}",
                theorem.hosts,
                theorem.most_jobs_at_once,
                theorem.generated,
                if theorem.unstable {
                    "yes, unstable"
                } else {
                    "no"
                }
            ),
            None => writeln!(
                text,
                "  does not apply: the generators move, or the steal function has no bound"
            ),
        };
        text
    }
}

/// Names and values below the title of a section.
fn write_rows<N: AsRef<str>>(text: &mut String, rows: impl IntoIterator<Item = (N, String)>) {
    let mut table = TextTable::untitled(2).right_from(2);
    for (name, value) in rows {
        table.row([format!("  {}", name.as_ref()), value]);
    }
    let _ = write!(text, "{table}");
}
