//! What the papers of the rivals promise, beside what runs show.

use filch_theory::rivals::{factor, inverse, two_choices};

use super::{Contender, RivalEstimates, RivalStudy};

/// A statement with an unnamed constant, and the least one for which the runs are within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// What the constant is a multiple of.
    pub statement: &'static str,
    /// The least constant; `None` if no constant is large enough.
    pub least_constant: Option<f64>,
    /// Whether the setting is within the hypotheses.
    pub applies: bool,
}

/// The promise for a rival; `None` for the natural process, whose bounds `filch theory natural`
/// prints, and for rivals without a theorem.
pub fn promised(
    contender: &Contender,
    study: &RivalStudy,
    found: &RivalEstimates,
) -> Option<Promise> {
    let Contender::Rival(name) = contender else {
        return None;
    };
    let name = name.to_string();
    let [largest, smallest] = found.extremes;
    match name.split(':').next()? {
        "inverse" => Some(Promise {
            statement: "largest load ≤ average",
            least_constant: (found.load > 0.0)
                .then(|| inverse::least_constant(largest, found.load)),
            applies: inverse::applies(study.placement, study.processors as u64),
        }),
        "factor" => Some(Promise {
            statement: "largest load ≤ smallest",
            least_constant: factor::least_constant(largest, smallest),
            applies: factor::applies(study.placement, study.processors as u64),
        }),
        "two-choices" => Some(Promise {
            statement: "wait ≤ lg lg n",
            // The last job of a queue waits for those before it.
            least_constant: Some(two_choices::least_constant(
                found.longest as f64,
                study.processors as u64,
            )),
            applies: two_choices::applies(study.lambda.get()),
        }),
        _ => None,
    }
}
