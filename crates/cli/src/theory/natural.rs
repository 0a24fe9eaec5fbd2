//! `filch theory natural`: BFG03's constants and bounds.

use std::fmt::Write as _;

use filch_experiments::natural::{DefinedConstants, LargeNumber, ProcessBounds};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use serde::Serialize;

use crate::args::TheoryNaturalArgs;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(options: &TheoryNaturalArgs) -> Result<(), Failure> {
    let answer = answer(options);
    if options.json {
        output::print_json(&answer)
    } else {
        output::print(&text(&answer.bounds))
    }
}

/// The bounds on the process.
pub(crate) fn answer(options: &TheoryNaturalArgs) -> TheoryAnswer {
    let process = options.process.process();
    let bounds = ProcessBounds::of(&process);
    TheoryAnswer {
        processors: process.processors,
        lambda: process.lambda.get(),
        steal: process.steal.to_string(),
        generators: process.placement.to_string(),
        theorem22_unstable: bounds.is_unstable(),
        bounds,
    }
}

#[derive(Serialize)]
pub(crate) struct TheoryAnswer {
    processors: usize,
    lambda: f64,
    steal: String,
    generators: String,
    theorem22_unstable: bool,
    bounds: ProcessBounds,
}

/// As people read it.
fn text(bounds: &ProcessBounds) -> String {
    let mut text = String::new();
    if let Some(defined) = &bounds.constants {
        let DefinedConstants {
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
    if let Some(load) = &bounds.load {
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
    let hypotheses = bounds.theorem10.iter();
    write_rows(
        &mut text,
        hypotheses.map(|one| (one.hypothesis, met(&one.reason))),
    );
    let _ = writeln!(text, "\nUnstable, if k·(j(n) + 1) < λn (BFG03, Theorem 22)");
    let _ = match &bounds.theorem22 {
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

/// Names and values below the title of a section.
fn write_rows<N: AsRef<str>>(text: &mut String, rows: impl IntoIterator<Item = (N, String)>) {
    let mut table = TextTable::untitled(2).right_from(2);
    for (name, value) in rows {
        table.row([format!("  {}", name.as_ref()), value]);
    }
    let _ = write!(text, "{table}");
}
