//! The natural work-stealing process: the claims of BFG01 and BFG03.

mod coupled;
mod lemma19;
mod simpler;
mod stability;
mod start;
mod theorems;

use crate::chapters::Setting;
use crate::values::Chapter;

pub(super) const TITLE: &str = "The natural process: is random work stealing stable?";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let stability = stability::StabilityPlan::of(setting.scale);
    let coupled = coupled::CouplingPlan::of(setting.scale);
    let start = start::StartPlan::of(setting.scale);
    let above = lemma19::AbovePlan::of(setting.scale);
    setting.expect(stability.runs() + coupled.runs() + start.runs() + above.runs());
    let (mut claims, stability_table, plot) = stability::write(setting, &stability);
    let (coupled_claims, coupled_table) = coupled::write(setting, &coupled);
    let (start_claims, start_table) = start::write(setting, &start);
    let (above_claim, above_table) = lemma19::write(setting, &above);
    claims.extend(coupled_claims);
    claims.push(above_claim);
    claims.extend(start_claims);
    Chapter {
        id: "natural",
        title: TITLE,
        text: text(),
        measured: false,
        claims,
        tables: vec![stability_table, coupled_table, above_table, start_table],
        plots: vec![plot],
    }
}

fn text() -> String {
    "In BFG's process, n generators sit on n processors in any placement, and each generates a \
     job with probability λ in a step. A processor with an empty queue sends a request to a \
     random processor; a processor that receives requests gives f of its load to one of them; \
     then every queue processes one job. The theorems hold for \"sufficiently large\" n and \
     constant c. By the proof of Lemma 14, that means c above 10⁴ at λ = 0.5 and above 10⁵ at λ \
     = 0.9, and hundreds of thousands of processors. Here the claims are tested on far fewer \
     processors, where the paper promises nothing, and with c = 2 unless a row says otherwise. \
     Lemma 14 needs c above about 2, since the load of one queue spreads to all processors with \
     about 1.3·n lg n requests. Chain Z starts as in the paper, with a heavy load on one processor, \
     and nothing on the others here. The coupling starts with Φ_f jobs on one processor and up to \
     three on each of the others, so that both of its parts matter; Φ_f has dozens to hundreds of \
     digits. The drift of Lemma 19 is measured from states with Φ_f jobs and more, in integers of \
     any size, and also from 2⁵⁰ jobs in one queue, where the lemma does not speak. The \
     placements rotate, longest and shortest are no distributions D: BFG03's theorems do not speak \
     of them, BFG01's do."
        .to_owned()
}
